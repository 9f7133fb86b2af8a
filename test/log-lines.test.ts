import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Logger } from '../src/lib/logger.ts'
import { logLine, messages } from '../src/log-lines.ts'

const root = join(import.meta.dirname, '..')

test('every log message that needs attention is in the guide', () => {
  const guide = readFileSync(join(root, 'docs/monitoring.md'), 'utf8')
  for (const { level, text } of Object.values(messages))
    if (level !== 'info')
      assert.ok(guide.includes(`| ${level} | \`${text}\` |`), `docs/monitoring.md lacks: | ${level} | \`${text}\` |`)
})

test('a failure is described without stack trace, path, SQL or key, whatever was thrown', () => {
  const lines: string[] = []
  const log = new Logger({ write: (line) => lines.push(line) })
  const key = `vtr_${'0'.repeat(49)}`
  const busy = Object.assign(new Error(`SELECT 1 FROM t: /var/x.db is locked for ${key}`), { code: 'EBUSY' })
  for (const failure of [busy, 'text', undefined]) logLine(log, 'notReady', { failure })
  const [described, ...others] = lines.map((line) => JSON.parse(line).failure)
  const { at, ...rest } = described
  assert.match(at, /^log-lines\.test\.ts:\d+$/)
  assert.deepEqual(rest, { name: 'Error', code: 'EBUSY', message: '[statement]: [path] is locked for vtr_[redacted]' })
  assert.deepEqual(others, [{ name: 'string' }, { name: 'undefined' }])
})

test('the log is written only through its definition', () => {
  const src = join(root, 'src')
  const writers = globSync('**/*.ts', { cwd: src }).filter((file) =>
    /\blog\.write(Json)?\(/.test(readFileSync(join(src, file), 'utf8')),
  )
  // Lines of requests have no message.
  assert.deepEqual(writers.sort(), ['http/logging.ts', 'http/parser-errors.ts', 'log-lines.ts'])
})
