import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { readServerKey, rejectKeyAsArgument } from '../../src/cli/remote-server.ts'
import { createToken } from '../../src/lib/key-format.ts'
import { PROGRAM } from '../support/program.ts'
import { startService } from '../support/service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** With stdin, and none of the settings of a server. */
async function vitrine(args: string[], input: string, env: Record<string, string> = {}) {
  const child = spawn(PROGRAM, args, { env: { PATH: process.env.PATH ?? '', ...env } })
  child.stdin.on('error', () => {}).end(input)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, stdout, stderr }
}

test('vitrine check reads its key from stdin, and prints a report', async (t) => {
  const service = await startService(t)
  const passed = await vitrine(['check', service.url, '--json'], `${service.key}\n`)
  assert.equal(passed.code, 0, passed.stderr + passed.stdout)
  const report = JSON.parse(passed.stdout)
  assert.equal(report.failed, 0)
  assert.ok(report.passed > 50)

  await t.test('and exits with 1 if a check fails', async () => {
    const failed = await vitrine(['check', service.url], '', { VITRINE_KEY: createToken() })
    assert.equal(failed.code, 1, failed.stderr)
    assert.match(failed.stdout, /^FAIL {2}reach\.key\n.*\n.*\n {6}cause {5}the key is unknown/m)
    assert.match(failed.stdout, /\n\d+ passed, 1 failed, \d+ skipped; \d+ requests, /)
  })
})

test('a key as an argument is refused with the reason, and not repeated', async () => {
  const key = createToken()
  const url = 'http://127.0.0.1:1'
  for (const words of [[`${url}/${key}`], [url, key]]) {
    const isRefused = ({ name, message }: Error) => name === 'UsageError' && !message.includes(key.slice(4, 12))
    assert.throws(() => rejectKeyAsArgument(undefined, words), isRefused)
  }
  assert.doesNotThrow(() => rejectKeyAsArgument(undefined, [url]))
  const { code, stderr } = await vitrine(['check', url, '--key', key], key)
  assert.equal(code, 2, stderr)
  assert.match(stderr, /a key must not be an argument: .*VITRINE_KEY/)
  assert.ok(!stderr.includes(key.slice(4, 12)), stderr)
})

test('a key comes from the environment or a file, and an invalid one is not repeated', async (t) => {
  const key = createToken()
  const file = join(temporaryFolder(t), 'key')
  writeFileSync(file, ` ${key}\n`, { mode: 0o600 })
  assert.equal(await readServerKey({ VITRINE_KEY: key }), key)
  assert.equal(await readServerKey({ VITRINE_KEY_FILE: file }), key)
  await assert.rejects(readServerKey({ VITRINE_KEY: key, VITRINE_KEY_FILE: file }), /both set; set one/)
  await assert.rejects(readServerKey({}), /^UserError: no key: set VITRINE_KEY, or VITRINE_KEY_FILE to a file with it$/)
  await assert.rejects(readServerKey({ VITRINE_KEY_FILE: `${file}.none` }), /cannot be read \(ENOENT\)/)
  writeFileSync(`${file}.two`, `${key}\n${key}\n`)
  await assert.rejects(
    readServerKey({ VITRINE_KEY_FILE: `${file}.two` }),
    /VITRINE_KEY_FILE: .*two must contain only the value, on one line/,
  )
  const cut = key.slice(0, -1)
  await assert.rejects(readServerKey({ VITRINE_KEY: cut }), ({ message }: Error) => {
    assert.match(message, /^VITRINE_KEY: is not a Vitrine key/)
    return !message.includes(cut.slice(4, 12))
  })
})
