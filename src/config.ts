import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseLifecycle } from './api/path-lifecycle.ts'
import { type Database, parseDatabaseUrl } from './database/open.ts'
import { type Credentials, parseHeader, parseToken, toCredentials } from './import/snapshot/credentials.ts'
import { readSecretFile } from './lib/secret-file.ts'
import { prefixingErrors, UserError } from './lib/user-error.ts'
import type { OidcSettings } from './members/identity-provider.ts'
import type { RelyingParty } from './members/passkeys.ts'
import type { MailSettings } from './notices/mail.ts'
import {
  clientHosts,
  host,
  isSecureOrigin,
  issuer,
  LOG_LEVELS,
  logLevel,
  onOrOff,
  origins,
  port,
  portOrNone,
  proxies,
  publicUrl,
  quota,
  retention,
  sender,
  smtpUrl,
  wholeNumber,
} from './setting-values.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Setting<T> {
  /** Empty if left out. */
  default?: string
  help: string
  /** A secret can also be read from the file in `<NAME>_FILE`. */
  secret?: true
  /** Throws an Error whose message completes '<NAME>: …', such as 'must be a whole number'. */
  parse(text: string, file?: string): T
}

export const settings = {
  HOST: { default: '127.0.0.1', help: 'address to listen on', parse: host },
  PORT: { default: '3000', help: 'port to listen on; 0 for any free port', parse: port },
  METRICS_PORT: { help: 'separate port for Prometheus metrics; 0 for any free port', parse: portOrNone },
  DATABASE_URL: {
    default: 'sqlite:data/vitrine.db',
    help: 'sqlite:<file> or postgres://user@host/database',
    secret: true,
    parse: parseDatabaseUrl,
  },
  RATE_LIMIT: { default: '600;w=60', help: 'default quota of a key', parse: quota },
  PUBLIC_URL: { help: 'URL at which clients reach the service, without a path', parse: publicUrl },
  ALLOWED_ORIGINS: { help: 'comma-separated web origins that may call /mcp', parse: origins },
  LOG_LEVEL: { default: 'info', help: LOG_LEVELS, parse: logLevel },
  RESOURCES: {
    help: 'folder with the definitions of your own resources; default: resources beside the SQLite database',
    parse: String,
  },
  LIFECYCLE: { default: '{}', help: 'deprecated paths, as JSON', parse: parseLifecycle },
  TRUST_PROXY: { default: '0', help: 'number of proxies in front that add to X-Forwarded-For', parse: proxies },
  DRAIN_SECONDS: { default: '0', help: 'how long /readyz fails before the server stops', parse: wholeNumber(0, 300) },
  CACHE_MIB: { default: '64', help: 'memory for cached responses, in MiB', parse: wholeNumber(1, 65_536) },
  OIDC_ISSUER: { help: 'OpenID Connect provider for the settings page', parse: issuer },
  OIDC_CLIENT_ID: { help: 'client id at that provider', parse: String },
  OIDC_CLIENT_SECRET: { help: 'client secret at that provider', secret: true, parse: String },
  CONNECT: { default: 'on', help: 'off: people cannot connect agents by signing in', parse: onOrOff },
  CONNECT_CLIENTS: {
    help: 'comma-separated hosts: only these clients may be connected by signing in',
    parse: clientHosts,
  },
  PASSKEYS: { default: 'on', help: 'off: no passkeys; default with OIDC_ISSUER: off', parse: onOrOff },
  SMTP_URL: {
    help: 'mail server for notices, invitations and sign-in links, as smtp://user:password@host:587',
    secret: true,
    parse: smtpUrl,
  },
  MAIL_FROM: { help: "sender of mail, such as 'Vitrine <vitrine@example.com>'", parse: sender },
  WEBHOOK_PRIVATE: {
    default: 'off',
    help: 'on: notices may be sent to webhooks with private addresses or plain http',
    parse: onOrOff,
  },
  SYNC_TOKEN: { help: 'bearer token for the URL of a sync', secret: true, parse: parseToken },
  SYNC_HEADER: { help: "header for the URL of a sync, as 'Name: value'", secret: true, parse: parseHeader },
  AUDIT_RETENTION: { help: 'how long to keep audit entries, such as 400d; default: forever', parse: retention },
  KEY_RETENTION: { help: 'how long to keep ended keys, such as 365d; default: forever', parse: retention },
} satisfies Record<string, Setting<unknown>>

type Name = keyof typeof settings

const fileNameOf = (name: string) => `${name}_FILE`

export const secretNames = Object.entries<Setting<unknown>>(settings)
  .filter(([, { secret }]) => secret)
  .map(([name]) => name)

export const settingNames: readonly string[] = [...Object.keys(settings), ...secretNames.map(fileNameOf)]

export function readSetting<N extends Name>(
  environment: Environment,
  name: N,
): ReturnType<(typeof settings)[N]['parse']> {
  return parseSetting(environment, name, settings[name] as Setting<ReturnType<(typeof settings)[N]['parse']>>)
}

/** The database of an application, whose setting a definition names. */
export function readDatabaseSetting(environment: Environment, name: string): Database {
  const parse = (text: string, file?: string): Database => {
    if (text === '')
      throw new Error('is not set, and a definition in RESOURCES names it; set it to postgres://… or sqlite:PATH')
    return parseDatabaseUrl(text, file)
  }
  return parseSetting(environment, name, { help: '', secret: true, parse })
}

function parseSetting<T>(environment: Environment, name: string, setting: Setting<T>): T {
  const file = fileGiven(environment, name, setting)
  if (file === undefined)
    return prefixingErrors(`${name}: `, () => setting.parse(textGiven(environment, name) ?? setting.default ?? ''))
  const text = prefixingErrors(`${fileNameOf(name)}: `, () => readSecretFile(file))
  return prefixingErrors(`${fileNameOf(name)}: the content of ${file} `, () => setting.parse(text, file))
}

export const isGiven = (environment: Environment, name: Name): boolean =>
  (textGiven(environment, name) ?? fileGiven(environment, name, settings[name])) !== undefined

function textGiven(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.trim()
  return text === '' ? undefined : text
}

/** Rejects a setting that is given both directly and as a file: one would be ignored silently. */
function fileGiven(environment: Environment, name: string, { secret }: Setting<unknown>): string | undefined {
  const path = secret && textGiven(environment, fileNameOf(name))
  if (path && textGiven(environment, name) !== undefined)
    throw new UserError(`${fileNameOf(name)}: must not be set with ${name}`)
  return path
}

export type Config = ReturnType<typeof readConfig>

export function readConfig(environment: Environment) {
  return {
    host: readSetting(environment, 'HOST'),
    port: readSetting(environment, 'PORT'),
    metricsPort: readMetricsPort(environment),
    database: readSetting(environment, 'DATABASE_URL'),
    quota: readSetting(environment, 'RATE_LIMIT'),
    /** Without a trailing slash; empty if not set. */
    publicUrl: readSetting(environment, 'PUBLIC_URL'),
    allowedOrigins: readSetting(environment, 'ALLOWED_ORIGINS'),
    logLevel: readSetting(environment, 'LOG_LEVEL'),
    resources: resourcesFolder(environment),
    lifecycle: readSetting(environment, 'LIFECYCLE'),
    trustedProxies: readSetting(environment, 'TRUST_PROXY'),
    drainSeconds: readSetting(environment, 'DRAIN_SECONDS'),
    cacheBytes: readSetting(environment, 'CACHE_MIB') * 1024 * 1024,
    oidc: readOidc(environment),
    connect: readConnect(environment),
    mail: readMail(environment),
    passkeys: readPasskeys(environment),
    webhookPrivate: readSetting(environment, 'WEBHOOK_PRIVATE'),
    /** A retention of 0 means forever. */
    auditRetentionMs: readSetting(environment, 'AUDIT_RETENTION'),
    keyRetentionMs: readSetting(environment, 'KEY_RETENTION'),
  }
}

/** The folder that RESOURCES names, or else `resources` beside a SQLite database, if that has definitions; empty if there is none. */
export function resourcesFolder(environment: Environment): string {
  const given = readSetting(environment, 'RESOURCES')
  if (given !== '') return given
  const database = readSetting(environment, 'DATABASE_URL')
  if (database.engine !== 'sqlite') return ''
  const folder = join(dirname(database.path), 'resources')
  return namesIn(folder).some((name) => name.endsWith('.json')) ? folder : ''
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Usually, there is none.
    return []
  }
}

function readMetricsPort(environment: Environment): number | undefined {
  const port = readSetting(environment, 'METRICS_PORT')
  // With 0 for both, the system chooses two different ports.
  if (port !== 0 && port === readSetting(environment, 'PORT'))
    throw new UserError('METRICS_PORT: must differ from PORT: metrics are not public')
  return port
}

/** Checks variables immediately, but reads files for every sync: secrets can be replaced without a restart. */
export function readSyncCredentials(environment: Environment): () => Credentials {
  for (const name of ['SYNC_TOKEN', 'SYNC_HEADER'] as const)
    if (fileGiven(environment, name, settings[name]) === undefined) readSetting(environment, name)
  return () => toCredentials(readSetting(environment, 'SYNC_TOKEN'), readSetting(environment, 'SYNC_HEADER'))
}

/** Requires all three or none: an incomplete set would not fail until the first sign-in. */
function readOidc(environment: Environment): OidcSettings | undefined {
  const names = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const
  const [issuerUrl, clientId, clientSecret] = names.map((name) => readSetting(environment, name))
  if (!issuerUrl && !clientId && !clientSecret) return undefined
  if (!issuerUrl || !clientId || !clientSecret)
    throw new UserError(
      `${names.find((name) => !isGiven(environment, name))}: must be set too; ${names.join(', ')} go together`,
    )
  if (readSetting(environment, 'PUBLIC_URL') === '')
    throw new UserError('PUBLIC_URL: must be set with OIDC_ISSUER; the provider sends people back to it')
  return {
    issuer: issuerUrl,
    clientId,
    clientSecret,
    clientSecretFile: fileGiven(environment, 'OIDC_CLIENT_SECRET', settings.OIDC_CLIENT_SECRET),
  }
}

/** Undefined if no mail can be sent. */
function readMail(environment: Environment): MailSettings | undefined {
  const [url, from] = [readSetting(environment, 'SMTP_URL'), readSetting(environment, 'MAIL_FROM')]
  if (url === '') return undefined
  if (from === '') throw new UserError('MAIL_FROM: must be set with SMTP_URL; mail needs a sender')
  if (readSetting(environment, 'PUBLIC_URL') === '')
    throw new UserError('PUBLIC_URL: must be set with SMTP_URL; mail contains links to it')
  return { smtpUrl: url, from }
}

/**
 * Undefined if browsers offer no passkeys: they belong to a domain, over https, or to localhost. They outlive the person's
 * account at an identity provider, so with one they must be enabled explicitly.
 */
function readPasskeys(environment: Environment): RelyingParty | undefined {
  const url = URL.parse(readSetting(environment, 'PUBLIC_URL'))
  const isWanted = isGiven(environment, 'PASSKEYS') || !isGiven(environment, 'OIDC_ISSUER')
  if (!readSetting(environment, 'PASSKEYS') || !isWanted || url === null) return undefined
  if (!isSecureOrigin(url) || /^\[|^[\d.]+$/.test(url.hostname)) return undefined
  return { id: url.hostname, origin: url.origin }
}

/** Undefined while people cannot connect agents by signing in. That also needs the settings pages: see app.ts. */
function readConnect(environment: Environment) {
  /** Hosts, or schemes with their colon, of the clients that may connect; empty if any client may. */
  const clients = readSetting(environment, 'CONNECT_CLIENTS')
  const url = URL.parse(readSetting(environment, 'PUBLIC_URL'))
  return readSetting(environment, 'CONNECT') && url !== null && isSecureOrigin(url) ? { clients } : undefined
}
