import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { actionText } from '../../src/audit/wording.ts'

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(`src/${name}`, 'utf8'))

/** The actions in every file that appends entries: literals such as 'key.created', but no settings of the
 * database, and those of a list's rows. */
const appended = new Set(
  sources
    .filter((text) => text.includes('appendAudit'))
    .flatMap((text) => [...text.matchAll(/'((?!vitrine\.)[a-z]+\.[a-z_]+)'|`\$\{list\.name\}\.([a-z_]+)`/g)])
    .map(([, literal, verb]) => literal ?? `orders.${verb}`),
)

test('every audit action has a wording, including those of declared resources', () => {
  for (const known of ['key.created', 'session.started', 'audit.pruned', 'orders.synced', 'orders.imported'])
    assert.ok(appended.has(known), known)
  for (const action of appended) assert.notEqual(actionText(action), action, action)
  assert.equal(actionText('tasks.synced'), 'Synced tasks')
})
