import type { TableChunk } from '../database/copied-tables.ts'
import type { HealthFinding } from '../database/store.ts'
import { importedColumns, type Row, type Table } from '../database/table.ts'
import { labelFault } from '../keys/life-cycle.ts'
import { formatCount } from '../lib/format-count.ts'
import { toInstant } from '../lib/instant.ts'
import { clip } from '../lib/plain-text.ts'
import { InvalidValueError } from '../lib/user-error.ts'
import { checkedMember } from '../members/members.ts'
import { checkedDetails } from '../resources/workspace/workspaces.ts'
import { recordSchema } from './record-schema.ts'
import { isSourceName } from './sources.ts'

/** As many rows of a kind as are named; the others are counted. */
const NAMED = 3
const LONGEST_NAME = 80

/**
 * Reads every row and judges it by the rules for what commands and imports take in: other programs may have written
 * it, or an older version. The chunks come in the order of a copy, so whose rows they are is known by then.
 */
export async function examineRows(
  chunks: AsyncIterable<TableChunk>,
  tables: readonly Table[],
): Promise<HealthFinding[]> {
  const faultsIn = new Map([...Object.entries(rules), ...tables.map((table) => [table.name, ruleOf(table)] as const)])
  const inWorkspaces = new Set(['members', 'sources', ...tables.map(({ name }) => name)])
  const workspaces = new Set<unknown>()
  const keys = new Set<unknown>()
  const invalid = new Sample()
  const orphans = new Sample()
  let [outlived, rowCount] = [0, 0]
  for await (const { table, rows } of chunks) {
    for (const row of rows) {
      rowCount++
      const faults = faultsIn.get(table)?.(row) ?? []
      if (faults.length > 0) invalid.add(`${table} ${nameOf(table, row)}: ${faults.join(', ')}`)
      if (table === 'workspaces') workspaces.add(row.id)
      if (table === 'api_keys') keys.add(row.id)
      // A key outlives its workspace, and so does what was done to it.
      if ((table === 'api_keys' || table === 'audit') && !workspaces.has(row.workspace_id)) outlived++
      if (inWorkspaces.has(table) && !workspaces.has(row.workspace_id))
        orphans.add(`${table} ${nameOf(table, row)} of workspace ${clipped(row.workspace_id)}`)
      if (OF_KEYS.includes(table) && !keys.has(row.key_id)) orphans.add(`${table} of key ${clipped(row.key_id)}`)
    }
  }
  const kept = outlived === 0 ? '' : `; ${outlived} keys and audit entries outlive their workspace, as they should`
  return [
    finding('rows', invalid, `${formatCount(rowCount)} read, all valid`, 'correct or delete them'),
    finding('orphaned rows', orphans, `none${kept}`, 'nobody can read them; delete them'),
  ]
}

function finding(check: string, found: Sample, sound: string, fix: string): HealthFinding {
  const ok = found.count === 0
  return ok ? { check, ok, detail: sound } : { check, ok, detail: found.text, hint: fix }
}

/** How many there are, and the first of them. */
class Sample {
  count = 0
  readonly #named: string[] = []

  add(name: string): void {
    if (this.count++ < NAMED) this.#named.push(name)
  }

  get text(): string {
    const more = this.count - this.#named.length
    return this.#named.join('; ') + (more > 0 ? `; and ${formatCount(more)} more` : '')
  }
}

/** Tables whose rows belong to a key. */
const OF_KEYS: readonly string[] = ['key_use', 'key_callers', 'key_incidents']

const namingColumns: Record<string, string> = {
  members: 'email',
  sources: 'name',
  key_use: 'key_id',
  key_callers: 'key_id',
  key_incidents: 'key_id',
}

const nameOf = (table: string, row: Row): string => clipped(row[namingColumns[table] ?? 'id'])

const clipped = (value: Row[string] | undefined): string => clip(JSON.stringify(value ?? null), LONGEST_NAME)

/** What is wrong with a row of each table, in words; the commands that write them have the same rules. */
const rules: Record<string, (row: Row) => string[]> = {
  workspaces: (row) => [
    ...thrown(() =>
      checkedDetails({
        slug: textOf(row.slug),
        name: textOf(row.name),
        ...(row.timezone !== null && { timezone: textOf(row.timezone) }),
        ...(row.currency_code !== null && { currency: textOf(row.currency_code) }),
        ...(row.country_code !== null && { country: textOf(row.country_code) }),
      }),
    ),
    ...instants(row, 'created_at', 'archived_at'),
  ],
  api_keys: (row) => [
    ...unless(/^[0-9a-f]{64}$/.test(textOf(row.hash)), 'hash is not of a key'),
    ...[labelFault(textOf(row.label))].flatMap((fault) => (fault === undefined ? [] : [`label ${fault}`])),
    ...unless((row.rate_limit === null) === (row.rate_window_seconds === null), 'half a rate limit'),
    ...unless(row.rate_limit === null || Number(row.rate_limit) > 0, 'rate limit must be at least 1'),
    ...instants(row, 'created_at', 'expires_at', 'retires_at', 'paused_at', 'revoked_at'),
  ],
  key_use: (row) => [
    ...counted(row),
    ...unless(Number(row.refused) >= 0 && Number(row.refused) <= Number(row.count), 'refused must be part of count'),
    ...instants(row, 'first_at', 'last_at'),
  ],
  key_callers: (row) => [
    ...unless(Number(row.count) > 0, 'count must be at least 1'),
    ...instants(row, 'first_at', 'last_at'),
  ],
  key_incidents: (row) => [...counted(row), ...instants(row, 'first_at', 'last_at')],
  members: (row) => [
    ...thrown(() => checkedMember({ email: textOf(row.email), role: textOf(row.role) })),
    ...unless(row.email === textOf(row.email).toLowerCase(), 'email must be in lower case'),
    ...instants(row, 'added_at', 'signed_in_at'),
  ],
  sources: (row) => [
    ...unless(isSourceName(textOf(row.name)), 'name is not of a source'),
    ...instants(row, 'created_at', 'synced_at', 'attempted_at', 'failing_since'),
  ],
  audit: (row) => [...unless(isJsonObject(textOf(row.detail)), 'detail is not a JSON object'), ...instants(row, 'at')],
  // What makes a chain whole is verified with its entries.
  audit_heads: () => [],
}

/** Read like an import, so another spelling of an instant passes; but stored, they are compared as text. */
function ruleOf(table: Table): (row: Row) => string[] {
  const columns = importedColumns(table)
  const schema = recordSchema(table)
  return (row) => {
    const record = Object.fromEntries(columns.map(({ field, name }) => [field, row[name] ?? null]))
    const result = schema.toRow(record)
    if ('faults' in result) return result.faults.map(({ field, problem }) => `${field} ${problem}`)
    return columns
      .filter(({ field }) => result.row[field] !== record[field])
      .map(({ name }) => `${name} is not an instant`)
  }
}

const textOf = (value: Row[string] | undefined): string => String(value ?? '')

const unless = (isRight: boolean, fault: string): string[] => (isRight ? [] : [fault])

function thrown(check: () => unknown): string[] {
  try {
    check()
    return []
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error
    return [clip(error.message, LONGEST_NAME * 2)]
  }
}

/** Null where the column allows it; otherwise in the one form in which instants are compared as text. */
const instants = (row: Row, ...columns: string[]): string[] =>
  columns
    .filter((column) => {
      const value = row[column]
      return value !== null && value !== undefined && toInstant(textOf(value)) !== value
    })
    .map((column) => `${column} is not an instant`)

const counted = (row: Row): string[] => [
  ...unless(/^\d{4}-\d{2}-\d{2}$/.test(textOf(row.day)), 'day is not a date'),
  ...unless(Number(row.count) > 0, 'count must be at least 1'),
]

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
