/**
 * src/lists/in-place reads the tables and views of applications, as the second kind of rows under the one reader.
 *
 *   binding.ts      which column each field reads, checked against the database's catalogue; a row's values and its place
 *   statement.ts    the one place that writes SQL for such tables
 *   walked-rows.ts  the rows in order, checked one by one
 *   table-list.ts   this file: the rows of one list
 *   unavailable.ts  why a list cannot be read
 *
 * The engines are in src/database/in-place.
 *
 * Invariants:
 * - A response has every row that belongs into it, or it is an error: a row that does not fit the definition, or that comes twice, fails it.
 * - The database sorts, and walked-rows.ts checks that its order is that of the sort keys: otherwise pages could lose rows.
 * - Only rows of the workspace are read, by a condition that every statement has.
 * - Nothing is remembered but the catalogue, and that only until a read fails.
 */
import { StorageError } from '../../database/errors.ts'
import type { TableDatabase } from '../../database/in-place/table-database.ts'
import { type Fault, fault } from '../../lib/fault.ts'
import { lazily } from '../../lib/lazily.ts'
import type { List, RowsInPlace } from '../definition.ts'
import { MAX_COUNTED, type ReadScope } from '../query.ts'
import { NO_ROWS, type RowSource, type Walk } from '../rows.ts'
import { type Binding, bind, createRowReader, type ReadTableRow } from './binding.ts'
import { StatementBuilder } from './statement.ts'
import { SourceUnavailable } from './unavailable.ts'
import { WalkedRows } from './walked-rows.ts'

/** The slug of a workspace; undefined if there is none with this id. */
type SlugOf = (scope: ReadScope) => Promise<string | undefined>

interface Reading {
  database: TableDatabase
  statements: StatementBuilder
  readRow: ReadTableRow
}

export class TableList {
  readonly #list: List
  readonly #rows: RowsInPlace
  readonly #open: () => Promise<TableDatabase>
  #reading = lazily(() => this.#prepare())

  constructor(list: List, rows: RowsInPlace, open: () => Promise<TableDatabase>) {
    this.#list = list
    this.#rows = rows
    this.#open = open
  }

  /** Compares the definition with the table: by field, or by member of `rows`. Throws if the database cannot be read. */
  async examine(): Promise<{ faults: Fault[]; warnings: Fault[] }> {
    const database = await this.#open()
    const binding = await this.#bind(database)
    if (Array.isArray(binding)) return { faults: binding, warnings: [] }
    const { isView, mayWrite } = binding.table
    const statements = new StatementBuilder(this.#list, binding, database.placeholder)
    const { sql, params } = statements.select({ workspace: ['', ''], now: 0 }, { limit: this.#list.limit })
    const isSorted = await database.sortsByIndex(sql, params)
    const index = isView
      ? 'create one on its tables'
      : `${statements.createIndex(this.#rows.workspaceColumn)} creates one`
    const warnings = [
      ...fault('database', mayWrite && 'has a role that may also change the table; use one that may only read it'),
      ...fault(
        'table',
        !isSorted && `has no index for the order of the list, so each request sorts all rows; ${index}`,
      ),
    ]
    return { faults: [], warnings }
  }

  async #bind(database: TableDatabase): Promise<Binding | Fault[]> {
    const { table } = this.#rows
    const described = await database.describe(table)
    if (described !== undefined) return bind(this.#list, this.#rows, described)
    return [{ field: 'table', problem: `there is no table or view ${JSON.stringify(table)} that the role can find` }]
  }

  async #prepare(): Promise<Reading> {
    const database = await this.#open()
    const binding = await this.#bind(database)
    if (!Array.isArray(binding))
      return {
        database,
        statements: new StatementBuilder(this.#list, binding, database.placeholder),
        readRow: createRowReader(this.#list, binding),
      }
    const [{ field, problem } = { field: '', problem: '' }] = binding
    throw new SourceUnavailable(this.#list.name, `${field}: ${problem}`, { field })
  }

  source(slugOf: SlugOf): RowSource {
    const { name } = this.#list
    return {
      read: async (scope, read) => {
        const workspace = await this.#namesOf(scope, slugOf)
        if (workspace === undefined) return read(NO_ROWS)
        return this.#use(({ database, statements, readRow }) =>
          database.snapshot(scope.workspaceId, (batches) => {
            const rowsIn = ({ ids }: Walk) => {
              const { sql, params } = statements.select({ workspace, now: scope.now }, { limit: MAX_COUNTED + 1, ids })
              return batches(sql, params)
            }
            return read(new WalkedRows(this.#list, rowsIn, readRow))
          }),
        )
      },

      firstRows: async (scope, limit) => {
        const workspace = await this.#namesOf(scope, slugOf)
        if (workspace === undefined) return { body: Buffer.from(`{"${name}":[]}`), until: 0, total: 0 }
        return this.#use(async ({ database, statements, readRow }) => {
          const { sql, params } = statements.select({ workspace, now: scope.now }, { limit, countsAll: true })
          const found = await database.rows(scope.workspaceId, sql, params)
          const rows = new WalkedRows(this.#list, () => [found], readRow)
          const bodies = (await Array.fromAsync(rows.walk({}))).flat().map(({ body }) => body)
          return { body: Buffer.from(`{"${name}":[${bodies}]}`), until: 0, total: Number(found[0]?.total ?? 0) }
        })
      },
    }
  }

  /** Undefined if the workspace has no rows here. */
  async #namesOf(scope: ReadScope, slugOf: SlugOf): Promise<readonly [slug: string, id: string] | undefined> {
    const slug = await slugOf(scope)
    return slug === undefined || (this.#rows.workspace ?? slug) !== slug ? undefined : [slug, scope.workspaceId]
  }

  /** After a failure of the database, the next read looks at the catalogue again. */
  async #use<T>(read: (reading: Reading) => Promise<T>): Promise<T> {
    try {
      return await read(await this.#reading())
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      this.#reading = lazily(() => this.#prepare())
      throw new SourceUnavailable(this.#list.name, error.message, { cause: error })
    }
  }
}
