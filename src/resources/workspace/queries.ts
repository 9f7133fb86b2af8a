import type { Queries, Reading } from '../../database/queries.ts'
import { WORKSPACE_COLUMNS } from './records.ts'

type Row = Record<string, unknown>

const SELECT = (table: string, id: string) => `SELECT ${WORKSPACE_COLUMNS} FROM ${table} WHERE id = ${id}`

/** The fields of a workspace, in the order in which they are answered. */
export function readWorkspace(fields: readonly string[]): Queries<object> {
  const toReading = (row: Row | undefined): Reading | undefined => {
    if (row === undefined) return undefined
    const body = { workspace: Object.fromEntries(fields.map((field) => [field, row[field]])) }
    return { body: Buffer.from(JSON.stringify(body)), until: Number.POSITIVE_INFINITY }
  }
  return {
    sqlite({ db }) {
      const workspace = db.prepare(SELECT('workspaces', '?'))
      return async ({ workspaceId }) => toReading(workspace.get(workspaceId))
    },
    postgres({ read }) {
      const text = SELECT('vitrine.workspaces', '$1')
      return async ({ workspaceId }) =>
        toReading((await read<Row>({ name: 'workspace', text, values: [workspaceId] }))[0])
    },
  }
}
