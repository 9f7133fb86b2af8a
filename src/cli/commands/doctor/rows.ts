import { finding } from '../../../database/finding.ts'
import type { TableChunk } from '../../../database/store.ts'
import { recordSchema } from '../../../import/record-schema.ts'
import { formatCount, named } from '../../../lib/format-count.ts'
import { parseJson } from '../../../lib/json-text.ts'
import { clip } from '../../../lib/plain-text.ts'
import type { Row } from '../../../lists/column.ts'
import type { List } from '../../../lists/definition.ts'
import { rowOf, storedRow } from '../../../lists/item.ts'

const MAX_EXAMPLES = 3
const LONGEST_ID = 80

/** Rows of lists may no longer fit the definition of their list. Those without a definition are not checked. */
export async function examineRows(chunks: AsyncIterable<TableChunk>, lists: readonly List[]) {
  const rules = new Map(lists.map((list) => [list.name, ruleOf(list)]))
  const examples: string[] = []
  let [bad, all] = [0, 0]
  for await (const { table, rows } of chunks)
    for (const row of rows) {
      all++
      if (table !== 'list_items') continue
      const faults = rules.get(String(row.list))?.(row) ?? []
      if (faults.length > 0 && bad++ < MAX_EXAMPLES)
        examples.push(`${row.list} ${clip(JSON.stringify(row.id), LONGEST_ID)}: ${faults.join(', ')}`)
    }
  const detail = bad === 0 ? `${formatCount(all)} read, all valid` : named(examples, bad)
  return finding('rows', bad === 0, detail, 'correct or delete them')
}

/** Imports accept other notations of an instant, but stored instants are compared as text. */
function ruleOf(list: List): (item: Row) => string[] {
  const schema = recordSchema(list)
  const instants = list.fields.filter(({ kind }) => kind === 'instant')
  return ({ id, body, rest }) => {
    if ([body, rest ?? '{}'].some((text) => parseJson(String(text)) === undefined)) return ['is not JSON']
    const stored = storedRow({ body: String(body), rest: rest === null ? null : String(rest) })
    if (stored.id !== id) return ['has another id in its JSON']
    const row = rowOf(list, stored)
    const result = schema.toRow(row)
    if ('problems' in result) return result.problems
    return instants.filter(({ name }) => result.row[name] !== row[name]).map(({ name }) => `${name} is not an instant`)
  }
}
