// Run once: logging does not depend on the database.
import assert from 'node:assert/strict'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formatsPlugin from 'ajv-formats'
import { appendAudit } from '../../src/audit/log.ts'
import { Logger } from '../../src/lib/logger.ts'
import { logLine, messages } from '../../src/log-lines.ts'
import { startOperator } from '../support/operator.ts'
import { program } from '../support/program.ts'
import { waitUntil } from '../support/wait.ts'

const root = join(import.meta.dirname, '../..')
const schema = JSON.parse(readFileSync(join(root, 'contract/log.schema.json'), 'utf8'))
const ajv = new Ajv2020({ allowUnionTypes: true })
formatsPlugin.default(ajv)
const validate = ajv.compile(schema)

function assertValid(line: string): void {
  assert.ok(validate(JSON.parse(line)), `${line} ${ajv.errorsText(validate.errors)}`)
}

test('every log message is in its schema, and one that needs attention is in the guide', () => {
  const guide = readFileSync(join(root, 'docs/monitoring.md'), 'utf8')
  const samples: Record<string, unknown> = {
    requestId: '0b5e5c0e-3c3b-4b6e-9a55-0d8d2f1b7c11',
    failure: new Error('x'),
    ...{ times: 1, removed: 1, through: 1, entry: 1, lines: 1, members: ['limit'], step: 'code', outcome: 'ok' },
  }
  for (const [name, { level, text, fields: own }] of Object.entries(messages)) {
    const lines: string[] = []
    const log = new Logger({ write: (line) => lines.push(line) })
    const given = Object.fromEntries(own.map((field) => [field, samples[field] ?? 'x']))
    logLine(log, name as keyof typeof messages, given, {
      requests: 3,
      reason: 'why',
      days: 4,
      seen: 'then',
      resource: 'orders',
    })
    assert.equal(lines.length, 1)
    lines.forEach(assertValid)
    if (level !== 'info')
      assert.ok(guide.includes(`| ${level} | \`${text}\` |`), `docs/monitoring.md lacks: | ${level} | \`${text}\` |`)
  }
})

test('a failure is described without stack trace, path, SQL or key, whatever was thrown', () => {
  const lines: string[] = []
  const log = new Logger({ write: (line) => lines.push(line) })
  const key = `vtr_${'0'.repeat(49)}`
  const busy = Object.assign(new Error(`SELECT 1 FROM t: /var/x.db is locked for ${key}`), { code: 'EBUSY' })
  for (const failure of [busy, 'text', undefined]) logLine(log, 'notReady', { failure })
  const [described, ...others] = lines.map((line) => JSON.parse(line).failure)
  const { at, ...rest } = described
  assert.match(at, /^log-schema\.test\.ts:\d+$/)
  assert.deepEqual(rest, { name: 'Error', code: 'EBUSY', message: '[statement]: [path] is locked for vtr_[redacted]' })
  assert.deepEqual(others, [{ name: 'string' }, { name: 'undefined' }])
})

test('a line with an undocumented field or message is invalid', () => {
  const line = { level: 30, time: '2026-11-15T12:00:00.000Z', msg: 'stopped' }
  assert.ok(validate(line))
  for (const other of [{ level: 40 }, { msg: 'stoped' }, { extra: 1 }, { time: 'noon' }])
    assert.ok(!validate({ ...line, ...other }), JSON.stringify(other))
})

test('the log is written only through its definition', () => {
  const src = join(root, 'src')
  const writers = globSync('**/*.ts', { cwd: src }).filter((file) =>
    /\blog\.write(Json)?\(/.test(readFileSync(join(src, file), 'utf8')),
  )
  // Lines of requests have no message.
  assert.deepEqual(writers.sort(), ['http/logging.ts', 'http/parser-errors.ts', 'log-lines.ts'])
})

test('all lines of a server that starts, responds, fails and stops are valid', async (t) => {
  const { url, store, workspace, createKey } = await startOperator(t)
  const { token } = await createKey()
  await store.transaction(async (tx) => {
    const entry = { workspaceId: 'old', actor: 'x', action: 'y', subject: '', detail: {} }
    await appendAudit(tx, { ...entry, at: '2020-01-01T00:00:00.000Z' })
    await appendAudit(tx, { ...entry, at: new Date(Date.now() - 10 * 86_400_000).toISOString() })
    await tx.run(
      `INSERT INTO api_keys (id, workspace_id, hash, prefix, label, permissions, created_by, created_at, revoked_at)
       VALUES ('key_1', 'old', ?, 'vtr_1', 'old', 'tasks:read', 'x', ?, ?)`,
      ...['0'.repeat(64), '2020-01-01T00:00:00.000Z', '2020-01-02T00:00:00.000Z'],
    )
  })
  assert.ok(workspace)
  const vitrine = program(t, {
    DATABASE_URL: url,
    LOG_LEVEL: 'trace',
    AUDIT_RETENTION: '400d',
    KEY_RETENTION: '365d',
  })
  const server = await vitrine.start('serve')
  const headers = { authorization: `Bearer ${token}`, traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
  const mcp = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' }
  const json = { 'content-type': 'application/json' }
  const ask = async (path: string, init: RequestInit = {}) =>
    (await fetch(server.url + path, { ...init, headers: { ...headers, ...init.headers } })).status
  for (const path of ['/workspace', '/tasks', '/openapi.json', '/healthz', '/readyz', '/docs', '/settings'])
    assert.ok([200, 303].includes(await ask(path)), path)
  for (const path of ['/mcp', '/v1/mcp', '/v2/mcp']) assert.equal(await ask(path, { ...mcp, headers: json }), 200)
  assert.equal(await ask('/mcp', { ...mcp, body: '{', headers: json }), 400)
  assert.equal(await ask('/nowhere'), 404)
  assert.equal(await ask('/tasks', { method: 'PUT' }), 405)
  assert.equal(await ask('/tasks', { headers: { authorization: 'Bearer x' } }), 401)
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1').end('NONSENSE\r\n\r\n')
  await new Promise((resolve) => socket.resume().once('close', resolve))
  await server.printed('audit entries past their retention were removed')
  await server.printed('keys that ended longer ago than KEY_RETENTION were removed')
  if (url.startsWith('sqlite:')) {
    for (const end of ['', '-wal', '-shm']) rmSync(`${url.slice('sqlite:'.length)}${end}`, { force: true })
    await waitUntil(async () => (await ask('/tasks')) === 500)
  }
  assert.equal(await server.stop(), 0)
  const lines = server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
  lines.forEach(assertValid)
  const said = new Set(lines.map((line) => JSON.parse(line).msg ?? 'a request'))
  for (const message of ['a request', 'stopping', 'stopped']) assert.ok(said.has(message), message)
})
