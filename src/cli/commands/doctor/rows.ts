import { finding } from '../../../database/finding.ts'
import type { TableChunk } from '../../../database/store.ts'
import { recordSchema } from '../../../import/record-schema.ts'
import { labelError } from '../../../keys/life-cycle.ts'
import { isObject } from '../../../lib/checker.ts'
import { formatCount } from '../../../lib/format-count.ts'
import { toInstant } from '../../../lib/instant.ts'
import { parseJson } from '../../../lib/json-text.ts'
import { clip } from '../../../lib/plain-text.ts'
import { InvalidValueError } from '../../../lib/user-error.ts'
import type { Row } from '../../../lists/column.ts'
import type { List } from '../../../lists/definition.ts'
import { rowOf, storedRow } from '../../../lists/item.ts'
import { checkedMember } from '../../../members/members.ts'
import { checkedDetails } from '../../../workspaces/workspaces.ts'

const MAX_EXAMPLES = 3
const LONGEST_NAME = 80

const OUTLIVING = ['api_keys', 'audit']
const OUTLIVING_UNCOUNTED = ['audit_heads', 'revisions']

/** Rows may be older than a rule, or changed by hand. Chunks arrive in copy order, so parent rows come first. */
export async function examineRows(chunks: AsyncIterable<TableChunk>, lists: readonly List[]) {
  const itemFaults = itemRule(lists)
  const workspaces = new Set<unknown>()
  const keys = new Set<unknown>()
  const invalid: RowSample = { count: 0, examples: [] }
  const orphans: RowSample = { count: 0, examples: [] }
  let [outlived, rowCount] = [0, 0]
  for await (const { table, rows } of chunks) {
    for (const row of rows) {
      rowCount++
      const faults = table === 'list_items' ? itemFaults(row) : [...(rules[table]?.(row) ?? []), ...notInstants(row)]
      const kind = table === 'list_items' ? row.list : table
      if (faults.length > 0) add(invalid, `${kind} ${nameOf(row)}: ${faults.join(', ')}`)
      if (table === 'workspaces') workspaces.add(row.id)
      if (table === 'api_keys') keys.add(row.id)
      const isOfKey = 'key_id' in row
      const { workspace_id: of = null } = row
      const isWithoutWorkspace = of !== null && !isOfKey && !workspaces.has(of)
      if (isWithoutWorkspace && OUTLIVING.includes(table)) outlived++
      else if (isWithoutWorkspace && !OUTLIVING_UNCOUNTED.includes(table))
        add(orphans, `${kind} ${nameOf(row)} of workspace ${clipped(of)}`)
      if (isOfKey && !keys.has(row.key_id)) add(orphans, `${table} of key ${clipped(row.key_id)}`)
    }
  }
  const surviving = outlived === 0 ? '' : `; ${outlived} keys and audit entries outlive their workspace, as intended`
  return [
    sampleFinding('rows', invalid, `${formatCount(rowCount)} read, all valid`, 'correct or delete them'),
    sampleFinding('orphaned rows', orphans, `none${surviving}`, 'they are unreachable; delete them'),
  ]
}

interface RowSample {
  count: number
  examples: string[]
}

function add(sample: RowSample, name: string): void {
  if (sample.count++ < MAX_EXAMPLES) sample.examples.push(name)
}

function sampleFinding(check: string, { count, examples }: RowSample, okDetail: string, hint: string) {
  const more = count > MAX_EXAMPLES ? [`and ${formatCount(count - MAX_EXAMPLES)} more`] : []
  return finding(check, count === 0, count === 0 ? okDetail : [...examples, ...more].join('; '), hint)
}

const nameOf = (row: Row): string => clipped(row.key_id ?? row.email ?? row.id ?? row.name ?? row.list)

const clipped = (value: Row[string] | undefined): string => clip(JSON.stringify(value ?? null), LONGEST_NAME)

/** The commands that write these rows apply the same rules. */
const rules: Record<string, (row: Row) => string[]> = {
  workspaces: (row) =>
    thrownFaults(() =>
      checkedDetails({
        slug: textOf(row.slug),
        name: textOf(row.name),
        ...(row.timezone !== null && { timezone: textOf(row.timezone) }),
        ...(row.currency_code !== null && { currency: textOf(row.currency_code) }),
        ...(row.country_code !== null && { country: textOf(row.country_code) }),
      }),
    ),
  api_keys: (row) => [
    ...unless(/^[0-9a-f]{64}$/.test(textOf(row.hash)), 'hash is not the hash of a key'),
    ...[labelError(textOf(row.label))].flatMap((fault) => (fault === undefined ? [] : [`label ${fault}`])),
    ...unless((row.rate_limit === null) === (row.rate_window_seconds === null), 'half a rate limit'),
    ...unless(row.rate_limit === null || Number(row.rate_limit) > 0, 'rate limit must be at least 1'),
  ],
  members: (row) => [
    ...thrownFaults(() => checkedMember({ email: textOf(row.email), role: textOf(row.role) })),
    ...unless(row.email === textOf(row.email).toLowerCase(), 'email must be in lower case'),
  ],
  audit: (row) => unless(isObject(parseJson(textOf(row.detail))), 'detail is not a JSON object'),
}

const textOf = (value: Row[string] | undefined): string => String(value ?? '')

const unless = (isRight: boolean, fault: string): string[] => (isRight ? [] : [fault])

function thrownFaults(check: () => unknown): string[] {
  try {
    check()
    return []
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error
    return [clip(error.message, LONGEST_NAME * 2)]
  }
}

/** Instants are compared as text, so they are stored in a single format. */
const notInstants = (row: Row): string[] =>
  Object.entries(row)
    .filter(
      ([name, value]) => /(?:^|_)(?:at|since)$/.test(name) && value !== null && toInstant(textOf(value)) !== value,
    )
    .map(([name]) => `${name} is not an instant`)

/** Faults of the rows of `list_items` under the definitions of their lists. Rows of a list without a definition are not checked. */
function itemRule(lists: readonly List[]): (item: Row) => string[] {
  const rules = new Map(lists.map((list) => [list.name, ruleOf(list)]))
  return ({ list, id, body, rest }) => {
    const rule = rules.get(String(list))
    if (rule === undefined) return []
    const texts = [body, rest ?? '{}'].map(String)
    if (texts.some((text) => parseJson(text) === undefined)) return ['is not JSON']
    const row = storedRow({ body: String(body), rest: rest === null ? null : String(rest) })
    return [...(row.id === id ? [] : ['has another id in its JSON']), ...rule(row)]
  }
}

/** Imports accept other notations of an instant, but stored instants are compared as text. */
function ruleOf(list: List): (row: Row) => string[] {
  const schema = recordSchema(list)
  return (stored) => {
    const row = rowOf(list, stored)
    const result = schema.toRow(row)
    if ('problems' in result) return result.problems
    const instants = list.fields.filter(({ kind }) => kind === 'instant')
    return instants.filter(({ name }) => result.row[name] !== row[name]).map(({ name }) => `${name} is not an instant`)
  }
}
