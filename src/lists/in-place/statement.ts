import type { SqlValue } from '../../database/connection.ts'
import type { TableColumn, TableDatabase } from '../../database/in-place/table-database.ts'
import { quoted } from '../../database/statements.ts'
import type { List } from '../definition.ts'
import { MAX_COUNTED } from '../query.ts'
import type { Binding } from './binding.ts'

interface Statement {
  sql: string
  params: SqlValue[]
}

/** Whose rows, and when. */
interface RowScope {
  /** The slug and the id of the workspace. */
  workspace: readonly [slug: string, id: string]
  now: number
}

/**
 * The one place that writes SQL for tables of applications. Every statement has the workspace's condition. Names come from the catalogue and are
 * quoted; everything else is a parameter.
 */
export class StatementBuilder {
  readonly #list: List
  readonly #binding: Binding
  readonly #placeholder: TableDatabase['placeholder']

  constructor(list: List, binding: Binding, placeholder: TableDatabase['placeholder']) {
    this.#list = list
    this.#binding = binding
    this.#placeholder = placeholder
  }

  /** In order. With `countsAll`, each row has the number of all rows, up to MAX_COUNTED, as `total`. */
  select(
    scope: RowScope,
    { limit, ids, countsAll = false }: { limit: number; ids?: readonly string[] | undefined; countsAll?: boolean },
  ): Statement {
    const params: SqlValue[] = []
    const { table, fields, order, idColumn } = this.#binding
    const columns = fields.map(({ reader, position }) => `${reader.select} AS f${position}`)
    const from = (counted?: readonly string[]) => `FROM ${table.from} WHERE ${this.#conditions(scope, counted, params)}`
    const total = countsAll
      ? [`(SELECT count(*) FROM (SELECT 1 ${from()} LIMIT ${MAX_COUNTED}) AS counted) AS total`]
      : []
    const sql = `SELECT ${[...columns, ...total]} ${from(ids)} ORDER BY ${[...order.map(({ reader }) => reader.order), idColumn.tie.order]} LIMIT ${limit}`
    return { sql, params }
  }

  /** `params` gets their parameters, in the order of the text. */
  #conditions({ workspace: names, now }: RowScope, ids: readonly string[] | undefined, params: SqlValue[]): string {
    const { workspace, idColumn, fields } = this.#binding
    const { current } = this.#list
    const add = (value: SqlValue) => this.#placeholder(params.push(value))
    const ofWorkspace = workspace === undefined ? 'true' : this.#isOf(workspace, names, add)
    const conditions = fields.flatMap(({ name, kind, choices = [], reader }) => {
      const wanted = current[name]
      if (wanted === undefined) return []
      if (wanted === 'past') return `NOT coalesce(${reader.isAfter(add(now))}, false)`
      // Values that the definition does not know are read, and refused.
      const others = (kind === 'boolean' ? [true, false] : choices).filter((value) => !wanted.includes(value))
      const listed = others.map((value) => add(reader.parameter(value)))
      return listed.length === 0 ? [] : `coalesce(${reader.compared} NOT IN (${listed}), true)`
    })
    return [
      ofWorkspace,
      ...conditions,
      ...(ids === undefined ? [] : [this.#amongIds(ids.flatMap(idColumn.ids.parameters).map(add))]),
    ].join(' AND ')
  }

  /** All rows have slugs, or all have ids. Compared with one value, an index has the rows in order. */
  #isOf(column: TableColumn, [slug, id]: RowScope['workspace'], add: (value: SqlValue) => string): string {
    const text = (value: string) => `CAST(${add(value)} AS text)`
    const hasIds = `EXISTS (SELECT 1 FROM ${this.#binding.table.from} WHERE ${column.equals(text(id))})`
    return column.equals(`CASE WHEN ${hasIds} THEN ${text(id)} ELSE ${text(slug)} END`)
  }

  /** The statement for an index that has the rows of a workspace in order. */
  createIndex(workspaceColumn: string | undefined): string {
    const { table, order, idColumn } = this.#binding
    const sorted = [...order.map(({ reader }) => reader.order), idColumn.tie.order].join(', ')
    const columns = [...(workspaceColumn === undefined ? [] : [quoted(workspaceColumn)]), sorted].join(', ')
    const name = quoted(`${this.#list.name}_in_order`)
    return `CREATE INDEX ${name} ON ${table.from.replace(/^main\./, '').replace(/ AS t$/, '')} (${columns.replaceAll('t."', '"')})`
  }

  #amongIds(placeholders: readonly string[]): string {
    return placeholders.length === 0 ? 'false' : this.#binding.idColumn.ids.mayBeOneOf(placeholders)
  }
}
