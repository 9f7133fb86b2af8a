import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { createToken } from '../../src/lib/key-format.ts'
import { leakOf } from '../support/key-leaks.ts'
import { keysIn } from '../support/keys.ts'
import { openStore } from '../support/operator.ts'
import { acmeProgram, type Outcome, PROGRAM, type Program } from '../support/program.ts'

async function find({ env, folder }: Program, input: string | Buffer, ...options: string[]): Promise<Outcome> {
  const child = spawn(PROGRAM, ['key', 'find', ...options], { cwd: folder, env })
  // It stops reading an input that is too long.
  child.stdin.on('error', () => {}).end(input)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, stdout, stderr }
}

/** A key in every state. */
async function start(t: TestContext) {
  const vitrine = await acmeProgram(t)
  const store = await openStore(t, vitrine.env.DATABASE_URL ?? '')
  const create = (expiresAt: string | null, nowMs = Date.now()) =>
    keysIn(store, 'test', () => nowMs).create('acme', {
      ...{ label: 'the "report"', permissions: ['tasks:read'], quota: null, expiresAt },
    })
  const live = await create(null)
  const paused = await create(null)
  await keysIn(store).pause(paused.key.id)
  const revoked = await create(null)
  await keysIn(store).revoke(revoked.key.id)
  const expired = await create('2020-01-02T00:00:00.000Z', Date.parse('2020-01-01T00:00:00Z'))
  return { vitrine, live, paused, revoked, expired, unknown: createToken() }
}

test('whose each key is, its state and how to revoke it is printed; no key is, and none is changed', async (t) => {
  const { vitrine, live, paused, revoked, expired, unknown } = await start(t)
  const tokens = [live.token, paused.token, revoked.token, expired.token, unknown, live.token]
  const entries = () => vitrine.query('SELECT number FROM audit')
  const before = await entries()
  const { code, stdout, stderr } = await find(vitrine, tokens.join('\n'))
  const whose = ({ key }: typeof live, state: string) =>
    `${key.prefix}…  ${state}  ${key.id}  "the "report"" of acme, never used`
  const foundLive = [whose(live, 'live'), `  vitrine key revoke ${live.key.id}`]
  const expected = [
    ...foundLive,
    whose(paused, 'paused'),
    `  vitrine key revoke ${paused.key.id}`,
    whose(revoked, 'revoked'),
    whose(expired, 'expired'),
    `${unknown.slice(0, 10)}…  unknown`,
    ...foundLive,
  ]
  assert.deepEqual([code, stdout, stderr], [1, `${expected.join('\n')}\n`, ''])

  const json = await find(vitrine, tokens.slice(0, 5).join('\n'), '--json')
  assert.deepEqual([json.code, json.stderr], [1, ''])
  const found = ({ key }: typeof live, line: number, state: string, revoke: string | null = null) => {
    const whose = { id: key.id, label: 'the "report"', workspace: 'acme', lastUsedAt: null }
    return { line, prefix: key.prefix, state, ...whose, revoke }
  }
  assert.deepEqual(JSON.parse(json.stdout), {
    keys: [
      found(live, 1, 'live', `vitrine key revoke ${live.key.id}`),
      found(paused, 2, 'paused', `vitrine key revoke ${paused.key.id}`),
      found(revoked, 3, 'revoked'),
      found(expired, 4, 'expired'),
      { line: 5, prefix: unknown.slice(0, 10), state: 'unknown' },
    ],
    invalidLines: [],
  })
  for (const token of tokens) assert.equal(leakOf(stdout + json.stdout, token), undefined)
  assert.deepEqual(await entries(), before)
})

test('the exit code is 0 if no key is live, also if there is none', async (t) => {
  const { vitrine, paused, revoked, expired, unknown } = await start(t)
  const { code, stdout } = await find(vitrine, [paused.token, revoked.token, expired.token, unknown].join('\n'))
  assert.deepEqual([code, stdout.match(/^\S+ {2}(\w+)/gm)?.length], [0, 4])
  assert.deepEqual(await find(vitrine, ''), { code: 0, stdout: '', stderr: 'There are no keys on stdin.\n' })
})

test('lines may end as on Windows and be blank; one that is not a key is only named by its number', async (t) => {
  const vitrine = await acmeProgram(t)
  const { token } = await vitrine.createKey()
  const other = createToken()
  const damaged = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`
  const lines = ['\ufeff', '', ` ${token}\t`, damaged, '  ', `Bearer ${token}`, 'x'.repeat(100_000), other]
  const { code, stdout, stderr } = await find(vitrine, lines.join('\r\n'))
  assert.deepEqual([code, stdout.match(/^\S+ {2}(\w+)/gm)?.map((line) => line.slice(13))], [1, ['live', 'unknown']])
  assert.equal(stderr, [4, 6, 7].map((line) => `line ${line}: is not a key\n`).join(''))
  for (const each of [token, other]) assert.equal(leakOf(stdout + stderr, each), undefined)

  const many = await find(vitrine, Buffer.from(`${'\xff\n'.repeat(25)}${other}\n`, 'latin1'))
  assert.deepEqual([many.code, many.stdout], [1, `${other.slice(0, 10)}…  unknown\n`])
  assert.match(many.stderr, /^(?:line \d+: is not a key\n){20}… and 5 more lines\n$/)
  const { invalidLines } = JSON.parse((await find(vitrine, lines.join('\n'), '--json')).stdout)
  assert.deepEqual(invalidLines, [4, 6, 7])
})
