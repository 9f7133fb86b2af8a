import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig, readSyncCredentials } from '../src/config.ts'

test('without any setting it serves loopback, port 3000, a local file, 600 requests a minute', () => {
  assert.deepEqual(readConfig({}), {
    host: '127.0.0.1',
    port: 3000,
    metricsPort: undefined,
    database: { engine: 'sqlite', path: 'data/vitrine.db' },
    quota: { limit: 600, windowSeconds: 60 },
    publicUrl: '',
    allowedOrigins: [],
    logLevel: 'info',
    resources: '',
    lifecycle: new Map(),
    trustedProxies: 0,
    drainSeconds: 0,
    cacheBytes: 67_108_864,
    oidc: undefined,
    connect: undefined,
    mail: undefined,
    passkeys: undefined,
    webhookPrivate: false,
    auditRetentionMs: 0,
    keyRetentionMs: 0,
  })
})

test('metrics have their own port, if any', () => {
  assert.equal(readConfig({ METRICS_PORT: '9464' }).metricsPort, 9464)
  assert.equal(readConfig({ METRICS_PORT: '0', PORT: '0' }).metricsPort, 0)
  assert.equal(readConfig({ METRICS_PORT: ' ' }).metricsPort, undefined)
  assert.throws(() => readConfig({ METRICS_PORT: '3000' }), /^UserError: METRICS_PORT: must differ from PORT/)
})

test('settings are read', () => {
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: 'sqlite:///var/lib/v.db',
    RATE_LIMIT: '5;w=1',
    PUBLIC_URL: 'https://v.example/',
    ALLOWED_ORIGINS: 'https://a.example, http://b.example:8080',
    TRUST_PROXY: 'true',
  })
  assert.equal(config.port, 0)
  assert.deepEqual(config.database, { engine: 'sqlite', path: '/var/lib/v.db' })
  assert.deepEqual(config.quota, { limit: 5, windowSeconds: 1 })
  assert.equal(config.publicUrl, 'https://v.example')
  assert.deepEqual(config.allowedOrigins, ['https://a.example', 'http://b.example:8080'])
  assert.equal(config.trustedProxies, 1)
})

test('passkeys are on unless disabled, or there is an identity provider, with which they must be enabled explicitly', () => {
  const PUBLIC_URL = 'https://v.example'
  const OIDC = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'v', OIDC_CLIENT_SECRET: 's' }
  const on = { id: 'v.example', origin: PUBLIC_URL }
  assert.deepEqual(readConfig({ PUBLIC_URL }).passkeys, on)
  assert.equal(readConfig({ PUBLIC_URL, PASSKEYS: 'off' }).passkeys, undefined)
  assert.equal(readConfig({ PUBLIC_URL, ...OIDC }).passkeys, undefined)
  assert.deepEqual(readConfig({ PUBLIC_URL, ...OIDC, PASSKEYS: 'on' }).passkeys, on)
  assert.throws(() => readConfig({ PUBLIC_URL, PASSKEYS: 'no' }), { message: 'PASSKEYS: must be on or off' })
})

test('agents can be connected by signing in if browsers and tokens are safe, unless it is off', () => {
  const connectOf = (PUBLIC_URL: string, others = {}) => readConfig({ PUBLIC_URL, ...others }).connect
  for (const url of ['https://v.example', 'http://localhost:3000', 'http://127.0.0.1', 'http://[::1]:8080'])
    assert.deepEqual(connectOf(url), { clients: [] }, url)
  for (const url of ['', 'http://v.example', 'http://10.0.0.7']) assert.equal(connectOf(url), undefined, url)
  assert.equal(connectOf('https://v.example', { CONNECT: 'off' }), undefined)
  assert.throws(() => connectOf('', { CONNECT: 'no' }), { message: 'CONNECT: must be on or off' })
})

test('the clients that may be connected are hosts, or schemes of apps', () => {
  const clientsOf = (CONNECT_CLIENTS: string) =>
    readConfig({ PUBLIC_URL: 'https://v.example', CONNECT_CLIENTS }).connect?.clients
  assert.deepEqual(clientsOf('chatgpt.com, Claude.AI,,localhost,Cursor:'), [
    ...['chatgpt.com', 'claude.ai', 'localhost', 'cursor:'],
  ])
  for (const wrong of [
    'https://chatgpt.com',
    'chatgpt.com/x',
    'chatgpt.com:443',
    'me@chatgpt.com',
    'a b',
    'a?b',
    ':',
    'a_b:',
  ])
    assert.throws(() => clientsOf(wrong), /^UserError: CONNECT_CLIENTS: must be comma-separated hosts/, wrong)
})

test('an identity provider needs all of its settings, or none', () => {
  const given = { OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'vitrine', OIDC_CLIENT_SECRET: 'secret' }
  const { oidc } = readConfig({ ...given, PUBLIC_URL: 'https://v.example' })
  assert.deepEqual(oidc, {
    issuer: 'https://login.example/',
    clientId: 'vitrine',
    clientSecret: 'secret',
    clientSecretFile: undefined,
  })
  assert.throws(
    () => readConfig({ ...given, OIDC_CLIENT_SECRET: '' }),
    /^UserError: OIDC_CLIENT_SECRET: must be set too; OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET go together$/,
  )
  assert.throws(() => readConfig(given), /^UserError: PUBLIC_URL: must be set with OIDC_ISSUER/)
})

const refusals: [name: string, value: string, message: RegExp][] = [
  ['PORT', '70000', /^PORT: must be a whole number from 0 to 65535$/],
  ['METRICS_PORT', '-1', /^METRICS_PORT: must be a whole number from 0 to 65535$/],
  ['HOST', 'http://x', /^HOST: /],
  ['DATABASE_URL', 'mysql://x', /^DATABASE_URL: must be sqlite:<file>, such as sqlite:data\/vitrine.db, or postgres:/],
  ['DATABASE_URL', 'sqlite::memory:', /^DATABASE_URL: /],
  ['RATE_LIMIT', '0;w=60', /^RATE_LIMIT: must be <limit>;w=<seconds>/],
  [
    'DATABASE_URL',
    'postgres://u@h/d?sslmode=bogus',
    /^DATABASE_URL: has an unknown sslmode "bogus"; use one of disable, prefer, require, verify-ca, verify-full, no-verify$/,
  ],
  ['DATABASE_URL', 'postgres://u@a,b:5433/d', /^DATABASE_URL: names several hosts; name one, such as the address/],
  ['DATABASE_URL', 'postgres://h:99999/d', /^DATABASE_URL: is not a valid postgres:\/\/ URL$/],
  ['DATABASE_URL', 'postgres://u@h/d?port=abc', /^DATABASE_URL: has a port that is not a number from 1 to 65535$/],
  ['PUBLIC_URL', 'vitrine.example', /^PUBLIC_URL: must be an http or https URL/],
  ['PUBLIC_URL', 'https://:secret@x.example', /^PUBLIC_URL: must be an http or https URL/],
  ['OIDC_ISSUER', 'http://login.example', /^OIDC_ISSUER: must be the https URL of an OpenID Connect provider/],
  ['ALLOWED_ORIGINS', 'https://a.example/path', /^ALLOWED_ORIGINS: must be comma-separated origins/],
  ['LOG_LEVEL', 'loud', /^LOG_LEVEL: must be one of fatal, error/],
  ['LIFECYCLE', '[]', /^LIFECYCLE: must be a JSON object/],
  [
    'LIFECYCLE',
    '{"/mcp":{"deprecation":"2024-01-01T00:00:00Z","sunset":"2025-01-01T00:00:00Z"}}',
    /^LIFECYCLE: \/mcp has a sunset in the past; set a future date, or leave the path out$/,
  ],
  ['PUBLIC_URL', 'https://v.example/base/', /^PUBLIC_URL: must not have a path; did you mean https:\/\/v\.example\?$/],
  ['LIFECYCLE', '{"/mcp":{"sunset":"2027-01-01T00:00:00Z"}}', /^LIFECYCLE: \/mcp\.deprecation is required$/],
  ['TRUST_PROXY', 'yes', /^TRUST_PROXY: /],
  ['DRAIN_SECONDS', '5s', /^DRAIN_SECONDS: must be a whole number from 0 to 300$/],
  ['CACHE_MIB', '0', /^CACHE_MIB: /],
  ['AUDIT_RETENTION', '400m', /^AUDIT_RETENTION: /],
  ['KEY_RETENTION', '7d', /^KEY_RETENTION: must be a duration of at least 30 days, such as 400d/],
]

test('a setting that is not valid is refused with a line that shows the valid values', () => {
  for (const [name, value, message] of refusals)
    assert.throws(() => readConfig({ [name]: value }), { name: 'UserError', message }, `${name}=${value}`)
})

test('the credentials of a sync are read, and invalid ones are refused without being repeated', () => {
  assert.deepEqual(readSyncCredentials({})(), {})
  const given = { SYNC_TOKEN: ' ghp_abc= ', SYNC_HEADER: 'X-Api-Key: a b' }
  assert.deepEqual(readSyncCredentials(given)(), { authorization: 'Bearer ghp_abc=', 'x-api-key': 'a b' })
  const refused: [Record<string, string>, RegExp][] = [
    [
      { SYNC_TOKEN: 'hush\r\nHost: x' },
      /^SYNC_TOKEN: must be a token: visible ASCII characters on one line, without spaces$/,
    ],
    [{ SYNC_TOKEN: 'Bearer hush' }, /^SYNC_TOKEN: /],
    [{ SYNC_HEADER: 'hush' }, /^SYNC_HEADER: must be one header, such as 'X-Api-Key: value'/],
    [{ SYNC_HEADER: 'X-Key: hush\nX-Other: 1' }, /^SYNC_HEADER: must be one header/],
    [{ SYNC_HEADER: 'Host: hush' }, /^SYNC_HEADER: must not be Host, which is set for each request$/],
    [{ SYNC_HEADER: 'If-None-Match: hush' }, /^SYNC_HEADER: must not be If-None-Match/],
    [{ SYNC_TOKEN: 'hush', SYNC_TOKEN_FILE: '/run/token' }, /^SYNC_TOKEN_FILE: must not be set with SYNC_TOKEN$/],
    [
      { SYNC_HEADER: 'X-Key: hush', SYNC_HEADER_FILE: '/run/x' },
      /^SYNC_HEADER_FILE: must not be set with SYNC_HEADER$/,
    ],
  ]
  for (const [environment, message] of refused)
    assert.throws(
      () => readSyncCredentials(environment),
      (error: Error) => {
        assert.match(error.message, message)
        assert.doesNotMatch(error.message, /hush/)
        return error.name === 'UserError'
      },
    )
})

test('mail needs a server, a sender and the URL that its links start with', () => {
  const given = {
    SMTP_URL: 'smtps://user:secret@mail.example',
    MAIL_FROM: 'Vitrine <v@example.com>',
    PUBLIC_URL: 'https://v.example',
  }
  assert.deepEqual(readConfig(given).mail, { smtpUrl: given.SMTP_URL, from: given.MAIL_FROM })
  assert.equal(readConfig({ MAIL_FROM: 'v@example.com' }).mail, undefined)
  assert.throws(() => readConfig({ ...given, MAIL_FROM: '' }), /^UserError: MAIL_FROM: must be set with SMTP_URL/)
  assert.throws(() => readConfig({ ...given, PUBLIC_URL: '' }), /^UserError: PUBLIC_URL: must be set with SMTP_URL/)
  for (const SMTP_URL of ['mail.example', 'http://mail.example', 'smtp://mail.example/path', 'smtp://'])
    assert.throws(() => readConfig({ ...given, SMTP_URL }), /^UserError: SMTP_URL: must be the URL of a mail server/)
  for (const MAIL_FROM of ['Vitrine', 'Vitrine <v>x', '"a" <v@example.com>', 'v@example.com, w@example.com'])
    assert.throws(() => readConfig({ ...given, MAIL_FROM }), /^UserError: MAIL_FROM: must be an email address/)
})
