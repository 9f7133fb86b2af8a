import { isoOf } from '../../lib/instant.ts'
import type { Column } from '../../lists/column.ts'
import type { Difference, SqlConnection, StagingScope, Transaction } from '../store.ts'
import { exactSql, importedColumns, quoted, type Table } from '../table.ts'

/** The staged table has `_place`, `_deleted` and the columns; the difference has `_number`, `_kind`, `_place` and `_seq`. */
interface StagingDialect {
  /** Tables, by their qualified names. */
  staged: string
  difference: string
  target: string
  revisions: string
  /** Statements that let the staged rows be found by their id. */
  index: readonly string[]
  /** Makes a SELECT lock its row until the transaction ends. */
  forUpdate: string
  /** Prevents the workspace from being deleted. Runs before the revision is locked, in the same order as a deletion. */
  keepWorkspace?: string
  /** A parameter, for the current time. */
  instant: string
}

/** Error messages show this many ids, and count the rest. */
const SAMPLE_SIZE = 3

/** One or two rows that lose a field are an ordinary change. */
const MIN_VANISHED = 3

/** Both engines share this SQL. Our own names start with an underscore, which no column of a field does. */
export abstract class StagedRows {
  protected readonly table: Table
  readonly #dialect: StagingDialect
  readonly #sql: ReturnType<typeof statements>
  #repeated: Difference['repeated'] | undefined
  #lastComparison: { scope: StagingScope; difference: Difference } | undefined

  constructor(table: Table, dialect: StagingDialect) {
    this.table = table
    this.#dialect = dialect
    this.#sql = statements(table, dialect)
  }

  abstract discard(): Promise<void>

  [Symbol.asyncDispose](): Promise<void> {
    return this.discard().catch(() => {})
  }

  /** Reads the revision first, so that a transaction that finds it unchanged need not compare again. */
  protected async difference(connection: SqlConnection, scope: StagingScope, isLocking: boolean): Promise<Difference> {
    const revision = await this.#revision(connection, scope.workspaceId, isLocking)
    const last = this.#lastComparison
    const isSame = last?.scope.workspaceId === scope.workspaceId && last.scope.source === scope.source
    if (isSame && last.difference.revision === revision) return last.difference
    const difference = { revision, ...(await this.#findDifference(connection, scope)) }
    this.#lastComparison = { scope, difference }
    return difference
  }

  protected async isUnchanged(connection: SqlConnection, scope: StagingScope): Promise<boolean> {
    return this.#lastComparison?.difference.revision === (await this.#revision(connection, scope.workspaceId, true))
  }

  async #revision(connection: SqlConnection, workspaceId: string, isLocking: boolean): Promise<number> {
    const { revisions, forUpdate, keepWorkspace } = this.#dialect
    if (isLocking && keepWorkspace !== undefined) await connection.all(keepWorkspace, workspaceId)
    const [row] = await connection.all<{ number: number }>(
      `SELECT number FROM ${revisions} WHERE workspace_id = ? ${isLocking ? forUpdate : ''}`,
      workspaceId,
    )
    return row?.number ?? 0
  }

  async #findDifference(
    connection: SqlConnection,
    { workspaceId, source }: StagingScope,
  ): Promise<Omit<Difference, 'revision'>> {
    const sql = this.#sql
    this.#repeated ??= await this.#mergeRepeated(connection)
    const repeated = this.#repeated
    await connection.run(sql.forget)
    await connection.run(sql.compare, source, workspaceId, source)
    if (source !== null) await connection.run(sql.findGone, workspaceId, source)
    const [counts] = await connection.all<Record<'created' | 'changed' | 'gone' | 'foreign' | 'unchanged', number>>(
      sql.count,
    )
    const { created = 0, changed = 0, gone = 0, foreign = 0, unchanged = 0 } = counts ?? {}
    const rows = foreign === 0 ? [] : await connection.all<{ id: string; source: string | null }>(sql.nameForeign)
    const vanished = changed === 0 || source === null ? [] : await this.#findVanished(connection, workspaceId, source)
    return { created, changed, gone, unchanged, repeated, vanished, foreign: { count: foreign, rows } }
  }

  async #findVanished(connection: SqlConnection, workspaceId: string, source: string) {
    const [staged] = await connection.all<Record<string, number>>(this.#sql.countStaged)
    const [stored] = await connection.all<Record<string, number>>(this.#sql.countStored, workspaceId, source)
    const half = Number(stored?._rows) / 2
    return optionalColumns(this.table).flatMap(({ field, name }) => {
      const rows = Number(stored?.[name])
      return Number(staged?.[name]) === 0 && rows > half && rows >= MIN_VANISHED ? { field, rows } : []
    })
  }

  /** An id that was staged twice keeps its first position and its last contents. */
  async #mergeRepeated(connection: SqlConnection): Promise<Difference['repeated']> {
    const sql = this.#sql
    for (const statement of this.#dialect.index) await connection.run(statement)
    const ids = await connection.all<{ id: string }>(sql.nameRepeated)
    if (ids.length === 0) return { count: 0, ids: [] }
    await connection.run(sql.findRepeated)
    const count = await connection.run(sql.dropEarlier)
    await connection.run(sql.moveToFirst)
    return { count, ids: ids.map(({ id }) => id) }
  }

  async apply(tx: Transaction): Promise<void> {
    await this.applyPart(tx, isoOf(tx.nowMs))
    this.forgetComparison()
  }

  /** A rollback also undoes the comparison. */
  forgetComparison(): void {
    this.#lastComparison = undefined
  }

  /** Writes the last difference, or only those of its rows `d` that match `part`. Unchanged rows are not touched. */
  protected async applyPart(connection: SqlConnection, now: string, part = '1 = 1'): Promise<void> {
    if (this.#lastComparison === undefined) throw new Error('staged rows must be compared before they are written')
    const { workspaceId, source } = this.#lastComparison.scope
    const { gone, changed, created } = this.#lastComparison.difference
    const { remove, change, create } = this.#sql
    if (gone > 0) await connection.run(remove(part))
    if (changed > 0) await connection.run(change(part))
    const creations = importedColumns(this.table).flatMap(({ isCreation }) => (isCreation ? now : []))
    if (created > 0) await connection.run(create(part), workspaceId, source, ...creations)
  }
}

/** The creation time is kept if it is left out. */
const optionalColumns = (table: Table) =>
  importedColumns(table).filter((column) => column.isNullable && !column.isCreation)

/** Empty texts and lists; SQLite stores a list as JSON. */
const EMPTY: Partial<Record<Column['kind'], string>> = { text: "('')", texts: "('[]', '{}')" }

/** SQL that is null if the value is empty. */
function filledSql({ kind, name }: Pick<Column, 'kind'> & { name: string }): string {
  const empty = EMPTY[kind]
  return empty === undefined ? quoted(name) : `CASE WHEN CAST(${quoted(name)} AS text) NOT IN ${empty} THEN 1 END`
}

function statements(table: Table, { staged, difference, target, instant }: StagingDialect) {
  const columns = importedColumns(table)
  const names = columns.map(({ name }) => quoted(name))
  const creation = columns.filter(({ isCreation }) => isCreation).map(({ name }) => quoted(name))
  const compared = columns.filter(({ isCreation }) => !isCreation)
  const changeable = compared.filter(({ field }) => field !== 'id').map(({ name }) => quoted(name))
  // Includes the id, which is always equal here, so that a table without other columns has something to compare.
  const of = (alias: string) =>
    `(${compared.map((column) => exactSql(column, `${alias}.${quoted(column.name)}`)).join(', ')})`
  const differs = [
    `${of('t')} IS DISTINCT FROM ${of('s')}`,
    // A row keeps its creation time unless the import sets another.
    ...creation.map((name) => `(s.${name} IS NOT NULL AND s.${name} IS DISTINCT FROM t.${name})`),
  ].join(' OR ')
  const isForeign = 't.source IS DISTINCT FROM CAST(? AS text)'
  const changes = [
    ...changeable.map((name) => `${name} = s.${name}`),
    ...creation.map((name) => `${name} = coalesce(s.${name}, t.${name})`),
  ]
  const values = names.map((name) => (creation.includes(name) ? `coalesce(${name}, ${instant})` : name))
  const present = optionalColumns(table).map((column) => `count(${filledSql(column)}) AS ${quoted(column.name)}`)
  const counts = ['count(*) AS _rows', ...present].join(', ')
  const byCreation = [...creation.flatMap((name) => [`s.${name} IS NULL`, `s.${name}`]), 's._place'].join(', ')
  return {
    nameRepeated: `SELECT id FROM ${staged} GROUP BY id HAVING count(*) > 1 ORDER BY min(_place) LIMIT ${SAMPLE_SIZE}`,
    findRepeated: `INSERT INTO ${difference} (_kind, _place, _seq)
      SELECT 'repeated', min(_place), max(_place) FROM ${staged} GROUP BY id HAVING count(*) > 1`,
    // Uses only joins: PostgreSQL scans the list of a NOT IN for every row once it outgrows its memory.
    dropEarlier: `DELETE FROM ${staged} WHERE _place IN (
      SELECT s._place FROM ${difference} AS d JOIN ${staged} AS last ON last._place = d._seq
      JOIN ${staged} AS s ON s.id = last.id WHERE s._place <> d._seq)`,
    moveToFirst: `UPDATE ${staged} AS s SET _place = d._place FROM ${difference} AS d WHERE d._seq = s._place`,
    forget: `DELETE FROM ${difference}`,
    // In the order in which rows are written: stored ones by seq, which is fastest, then new ones, then deleted ones.
    compare: `INSERT INTO ${difference} (_kind, _place, _seq)
      SELECT CASE WHEN t.seq IS NULL THEN 'created' WHEN ${isForeign} THEN 'foreign' WHEN s._deleted = 1 THEN 'gone'
                  ELSE 'changed' END, s._place, t.seq
      FROM ${staged} AS s LEFT JOIN ${target} AS t ON t.workspace_id = ? AND t.id = s.id
      WHERE CASE WHEN t.seq IS NULL THEN s._deleted = 0 ELSE s._deleted = 1 OR ${isForeign} OR ${differs} END
      ORDER BY t.seq IS NULL, t.seq, ${byCreation}`,
    findGone: `INSERT INTO ${difference} (_kind, _seq)
      SELECT 'gone', t.seq FROM ${target} AS t WHERE t.workspace_id = ? AND t.source = ?
      AND NOT EXISTS (SELECT 1 FROM ${staged} AS s WHERE s.id = t.id) ORDER BY t.seq`,
    count: `SELECT count(*) FILTER (WHERE _kind = 'created') AS created, count(*) FILTER (WHERE _kind = 'changed') AS changed,
      count(*) FILTER (WHERE _kind = 'gone') AS gone, count(*) FILTER (WHERE _kind = 'foreign') AS "foreign",
      (SELECT count(*) FROM ${staged}) - count(_place) AS unchanged FROM ${difference}`,
    countStaged: `SELECT ${counts} FROM ${staged}`,
    countStored: `SELECT ${counts} FROM ${target} WHERE workspace_id = ? AND source = ?`,
    nameForeign: `SELECT t.id, t.source FROM ${difference} AS d JOIN ${target} AS t ON t.seq = d._seq
      WHERE d._kind = 'foreign' ORDER BY d._place LIMIT ${SAMPLE_SIZE}`,
    remove: (part: string) =>
      `DELETE FROM ${target} WHERE seq IN (SELECT d._seq FROM ${difference} AS d WHERE d._kind = 'gone' AND ${part})`,
    change: (part: string) => `UPDATE ${target} AS t SET ${changes.join(', ')}
      FROM ${difference} AS d JOIN ${staged} AS s ON s._place = d._place
      WHERE t.seq = d._seq AND d._kind = 'changed' AND ${part}`,
    create: (part: string) => `INSERT INTO ${target} (workspace_id, source, ${names.join(', ')})
      SELECT CAST(? AS text), CAST(? AS text), ${values.join(', ')}
      FROM ${difference} AS d JOIN ${staged} AS s ON s._place = d._place WHERE d._kind = 'created' AND ${part}
      ORDER BY d._number`,
  }
}
