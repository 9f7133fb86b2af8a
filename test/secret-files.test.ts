import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readConfig, readSetting, readSyncCredentials, secretNames } from '../src/config.ts'
import { UserError } from '../src/lib/user-error.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

function secretFile(t: TestContext, content: string | Buffer): string {
  const file = join(temporaryFolder(t), 'secret')
  writeFileSync(file, content)
  return file
}

test('every secret can come from a file, whose last line break is ignored', (t) => {
  assert.deepEqual(secretNames, ['DATABASE_URL', 'OIDC_CLIENT_SECRET', 'SMTP_URL', 'SYNC_TOKEN', 'SYNC_HEADER'])
  const config = readConfig({
    DATABASE_URL_FILE: secretFile(t, 'postgres://u:p@db.example/app\n'),
    OIDC_ISSUER: 'https://login.example',
    OIDC_CLIENT_ID: 'vitrine',
    OIDC_CLIENT_SECRET_FILE: secretFile(t, 'a secret with spaces\r\n'),
    SMTP_URL_FILE: secretFile(t, 'smtp://mail.example\n'),
    MAIL_FROM: 'v@example.com',
    PUBLIC_URL: 'https://v.example',
  })
  const { file, ...database } = config.database as { file?: string }
  assert.deepEqual(database, { engine: 'postgres', url: 'postgres://u:p@db.example/app' })
  assert.ok(file, 'it is read again for each connection')
  assert.equal(config.oidc?.clientSecret, 'a secret with spaces')
  assert.equal(config.mail?.smtpUrl, 'smtp://mail.example')
  const [SYNC_TOKEN_FILE, SYNC_HEADER_FILE] = [secretFile(t, 'abc\n'), secretFile(t, '\uFEFFX-Api-Key: d\n')]
  assert.deepEqual(readSyncCredentials({ SYNC_TOKEN_FILE, SYNC_HEADER_FILE })(), {
    authorization: 'Bearer abc',
    'x-api-key': 'd',
  })
})

test("a file with a sync's credentials is read again for every snapshot", (t) => {
  const file = secretFile(t, 'abc')
  const read = readSyncCredentials({ SYNC_TOKEN_FILE: file })
  assert.equal(read().authorization, 'Bearer abc')
  writeFileSync(file, 'def')
  assert.equal(read().authorization, 'Bearer def')
  writeFileSync(file, '')
  assert.throws(read, UserError)
})

test('a setting is given directly or as a file, not both; an empty variable counts as unset', (t) => {
  const file = secretFile(t, 'hush')
  for (const name of secretNames)
    assert.throws(
      () => readSetting({ [name]: 'x', [`${name}_FILE`]: file }, name as 'SYNC_TOKEN'),
      new UserError(`${name}_FILE: must not be set with ${name}`),
    )
  assert.equal(readSetting({ SYNC_TOKEN: ' ', SYNC_TOKEN_FILE: file }, 'SYNC_TOKEN'), 'hush')
  assert.equal(readSetting({ SYNC_TOKEN: 'x', SYNC_TOKEN_FILE: '' }, 'SYNC_TOKEN'), 'x')
})

test("an unusable file is rejected by its variable's name, without its content", (t) => {
  const pipe = join(temporaryFolder(t), 'pipe')
  execFileSync('mkfifo', [pipe])
  const cases: [file: string, problem: RegExp][] = [
    [secretFile(t, 'hush hush'), /^SYNC_TOKEN_FILE: the content of \S+ must be a token: visible ASCII/],
    [secretFile(t, 'hush\nhush'), /^SYNC_TOKEN_FILE: \S+ must contain only the value, on one line$/],
    [secretFile(t, 'hush\0hush'), /^SYNC_TOKEN_FILE: \S+ must contain only the value, on one line$/],
    [secretFile(t, Buffer.from([0x68, 0xff])), /^SYNC_TOKEN_FILE: \S+ must be text in UTF-8$/],
    [secretFile(t, ' \n'), /^SYNC_TOKEN_FILE: \S+ is empty$/],
    [secretFile(t, ''), /^SYNC_TOKEN_FILE: \S+ is empty$/],
    [secretFile(t, 'x'.repeat(8193)), /^SYNC_TOKEN_FILE: \S+ is longer than 8 KiB$/],
    ['/nowhere/at-all', /^SYNC_TOKEN_FILE: \/nowhere\/at-all cannot be read \(ENOENT\)$/],
    ...['hush', 'postgres://u:hush@db.example/app', 'hush'.repeat(100)].map((value): [string, RegExp] => [
      value,
      /^SYNC_TOKEN_FILE: must be the path of a file that contains the value, not the value itself; there is no such file$/,
    ]),
    ['/', /^SYNC_TOKEN_FILE: \/ must be a file$/],
    ['/dev/zero', /^SYNC_TOKEN_FILE: \/dev\/zero must be a file$/],
    [pipe, /^SYNC_TOKEN_FILE: \S+ must be a file$/],
  ]
  for (const [file, problem] of cases)
    assert.throws(readSyncCredentials({ SYNC_TOKEN_FILE: file }), (error: Error) => {
      assert.ok(error instanceof UserError)
      assert.match(error.message, problem)
      return !error.message.includes('hush')
    })
  const url = secretFile(t, 'mysql://u:hush@db.example/app')
  assert.throws(() => readConfig({ DATABASE_URL_FILE: url }), {
    message: `DATABASE_URL_FILE: the content of ${url} must be sqlite:<file>, such as sqlite:data/vitrine.db, or postgres://user@host/database`,
  })
})
