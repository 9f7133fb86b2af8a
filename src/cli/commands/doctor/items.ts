import { recordSchema } from '../../../import/record-schema.ts'
import { parseJson } from '../../../lib/json-text.ts'
import type { Row } from '../../../lists/column.ts'
import type { List } from '../../../lists/definition.ts'
import { rowOf, storedRow } from '../../../lists/item.ts'

/** What is wrong with rows of `list_items`, by the definitions of their lists. Those of a list without one are not checked. */
export function itemRule(lists: readonly List[]): (item: Row) => string[] {
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
