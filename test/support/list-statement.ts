import assert from 'node:assert/strict'
import type { QueryConfig } from 'pg'
import type { PostgresReads } from '../../src/database/queries.ts'

/** The one statement that a read sends to PostgreSQL, and the modes in which it may be planned. */
export async function statementOf(read: (engine: PostgresReads) => Promise<unknown>) {
  const sent: QueryConfig[] = []
  const engine = {
    read: async (statement: QueryConfig) => {
      sent.push(statement)
      return [{ json: '', found: 0, isCut: false, unmarked: 0, until: null }]
    },
    slots: { run: (_: string, work: () => unknown) => work() },
    background: { request() {} },
  }
  await read(engine as unknown as PostgresReads)
  const [{ name, text, values = [] } = { text: '' }, ...others] = sent
  assert.equal(others.length, 0)
  // Without a name it is planned for its values each time. With one, PostgreSQL may plan it without them.
  const modes = ['force_custom_plan', ...(name === undefined ? [] : ['force_generic_plan'])]
  return { text, values, modes }
}
