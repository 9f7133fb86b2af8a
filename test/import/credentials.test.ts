import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readCredentials } from '../../src/import/credentials.ts'
import { temporaryFolder } from '../support/database.ts'

const NONE = { token: '', tokenFile: '', header: '', headerFile: '' }

function secretFile(t: TestContext, text: string, mode = 0o600): string {
  const file = join(temporaryFolder(t), 'secret')
  writeFileSync(file, text, { mode })
  return file
}

const noWarning = (message: string) => assert.fail(message)

test('a token is sent as a bearer token, and a header as it is', async () => {
  assert.deepEqual(await readCredentials(NONE, noWarning), {})
  assert.deepEqual(await readCredentials({ ...NONE, token: 'abc', header: 'X-Api-Key:\td: e' }, noWarning), {
    authorization: 'Bearer abc',
    'x-api-key': 'd: e',
  })
})

test('a file gives what is in it at that moment, without the end of its line', async (t) => {
  const tokenFile = secretFile(t, 'abc\r\n')
  const headerFile = secretFile(t, 'Authorization: Basic eDp5\n')
  assert.deepEqual(await readCredentials({ ...NONE, tokenFile }, noWarning), { authorization: 'Bearer abc' })
  writeFileSync(tokenFile, 'def')
  assert.deepEqual(await readCredentials({ ...NONE, tokenFile }, noWarning), { authorization: 'Bearer def' })
  assert.deepEqual(await readCredentials({ ...NONE, headerFile }, noWarning), { authorization: 'Basic eDp5' })
  await assert.rejects(
    readCredentials({ ...NONE, tokenFile, headerFile }, noWarning),
    /both a token and an Authorization header/,
  )
})

test('a file that every user may read is warned about', async (t) => {
  const tokenFile = secretFile(t, 'abc')
  chmodSync(tokenFile, 0o644)
  const warnings: string[] = []
  await readCredentials({ ...NONE, tokenFile }, (message) => warnings.push(message))
  assert.deepEqual(warnings, [
    `${tokenFile} holds a secret, and every user of this machine may read it; run: chmod 600 ${tokenFile}`,
  ])
})

test('a file that holds no token is refused by name, without what is in it', async (t) => {
  const cases: [file: string, problem: RegExp][] = [
    [secretFile(t, 'hush hush'), /^UserError: SYNC_TOKEN_FILE: what is in \S+ must be a token: visible ASCII/],
    [secretFile(t, 'hush\nhush'), /must be a token/],
    [secretFile(t, ' \n'), /^UserError: SYNC_TOKEN_FILE: \S+ is empty$/],
    [secretFile(t, 'x'.repeat(8193)), /: \S+ is too long for a token or a header$/],
    ['/nowhere/at-all', /^UserError: SYNC_TOKEN_FILE: \/nowhere\/at-all cannot be read \(ENOENT\)$/],
    ['/', /cannot be read \(EISDIR\)$/],
  ]
  for (const [tokenFile, problem] of cases)
    await assert.rejects(
      readCredentials({ ...NONE, tokenFile }, () => {}),
      (error: Error) => {
        assert.match(String(error), problem)
        return !error.message.includes('hush')
      },
    )
})
