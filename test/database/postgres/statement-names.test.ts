import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statementNames } from '../../../src/database/postgres/list.ts'
import { questionedList } from '../../../src/database/postgres/list-questions.ts'
import { pageReader } from '../../../src/database/postgres/page.ts'
import type { PageReading, PageRequest, PostgresReads, Read } from '../../../src/database/queries.ts'
import { Slots } from '../../../src/database/slots.ts'
import { text } from '../../../src/database/table.ts'
import { readCurrentTasks } from '../../../src/resources/tasks/postgres.ts'

test('a name stands for one text, and however many texts there are, names are few', () => {
  const named = statementNames('list')
  const statements = Array.from({ length: 100 }, (_, i) => named(`SELECT ${i}`, {}))
  assert.equal(new Set(statements.slice(0, 64).map(({ name }) => name)).size, 64)
  assert.deepEqual(statements[64], { text: 'SELECT 64' })
  assert.deepEqual(named('SELECT 1', {}), statements[1])
})

const description = ''
const column = text({ maxLength: 1, nullable: true, description })
const id = text({ maxLength: 1, description })
const fields = 'details bookKey assigneeName assigneeEmail sourceSessionId sourceTitle sourceSummary'.split(' ')
const table = { name: 'notes', columns: { id, ...Object.fromEntries(fields.map((field) => [field, column])) } }
const list = { table, order: ['details'], filters: [], limit: 10 }

const readers: Record<string, (engine: PostgresReads) => Read<PageRequest, PageReading>> = {
  'a plain list': (engine) => pageReader({ ...questionedList(list), limit: 10 }, engine),
  'the tasks': readCurrentTasks,
}
for (const [what, reader] of Object.entries(readers))
  test(`however many sets of fields of ${what} are asked for, whole rows have a name`, async () => {
    const names = new Set<string | undefined>()
    const engine: PostgresReads = {
      async read({ name }) {
        names.add(name)
        return []
      },
      inBackground: () => ({ request() {} }),
      slots: new Slots({ total: 1, each: 1, waiting: 1 }),
    }
    const read = reader(engine)
    const ask = (more: Partial<PageRequest>) =>
      read({ workspaceId: 'w', now: 0 }, { filters: {}, limit: 1, findNext: true, ...more })
    for (let set = 0; set < 2 ** fields.length; set++) await ask({ fields: fields.filter((_, i) => set & (1 << i)) })
    assert.ok(names.size < 100, `${names.size} names`)
    names.clear()
    await ask({})
    assert.ok(!names.has(undefined))
  })
