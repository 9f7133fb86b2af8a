import { counted } from '../lib/format-count.ts'

/** What people know of a database is counted by its name, and the other rows together. */
export function rowsInWords(counts: ReadonlyMap<string, number>): string {
  const known = [
    { table: 'workspaces', singular: 'workspace', plural: 'workspaces' },
    { table: 'list_items', singular: 'row of a list', plural: 'rows of lists' },
    { table: 'api_keys', singular: 'key', plural: 'keys' },
    { table: 'members', singular: 'member', plural: 'members' },
    { table: 'audit', singular: 'audit entry', plural: 'audit entries' },
  ]
  const words = known.map(({ table, singular, plural }) => counted(counts.get(table) ?? 0, singular, plural))
  const others = [...counts].filter(([table]) => !known.some((each) => each.table === table))
  const rows = others.reduce((sum, [, count]) => sum + count, 0)
  return `${words.join(', ')} and ${counted(rows, 'other row')}`
}
