import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Column, Kind } from '../../lists/column.ts'
import { StorageError } from '../errors.ts'
import type { SqlConnection } from '../store.ts'
import { canBeAdded, columnsOf, type Declaration, literal, quoted, type SchemaObject, type Table } from '../table.ts'
import {
  checkDeclarations,
  type DeclaredResource,
  type MigrationOptions,
  rebuilds,
  tablesInUse,
} from './declared-tables.ts'

export interface TableSchema {
  name: string
  version: number
  declaration: Pick<Declaration, 'state' | 'definition'> | undefined
  /** In order, including those that every table has. */
  columns: ReadonlyMap<string, ColumnSchema>
  create: string
  objects: readonly SchemaObject[]
  add(column: string): string
  drop(object: { kind: SchemaObject['kind'] | 'table'; name: string }): string
}

interface ColumnSchema {
  /** Other kinds may have the same SQL type but different values. */
  kind: Kind | 'key' | 'source'
  sql: string
  /** Existing rows get null, or the default. */
  canBeAdded: boolean
}

interface SchemaDialect {
  schema: string
  typeOf(column: Pick<Column, 'kind'>): string
  seq: string
  now: string
  markSql(name: string): string
  options: string
  drop: TableSchema['drop']
}

export function schemaOf(table: Table, dialect: SchemaDialect, objects: readonly SchemaObject[]): TableSchema {
  const { typeOf, seq, options, drop } = dialect
  const text = typeOf({ kind: 'text' })
  const name = dialect.schema + quoted(table.name)
  const columns = new Map<string, ColumnSchema>([
    ['seq', { kind: 'key', sql: seq, canBeAdded: false }],
    ['workspace_id', { kind: 'key', sql: `${text} NOT NULL`, canBeAdded: false }],
    ['source', { kind: 'source', sql: text, canBeAdded: true }],
  ])
  for (const column of columnsOf(table))
    columns.set(column.name, { kind: column.kind, sql: columnSql(column, dialect), canBeAdded: canBeAdded(column) })
  const definitions = [...columns].map(([column, { sql }]) => `  ${quoted(column)} ${sql},\n`)
  return {
    name: table.name,
    version: table.version,
    declaration: table.declaration,
    columns,
    create: `CREATE TABLE ${name} (\n${definitions.join('')}  UNIQUE (workspace_id, id)\n)${options}`,
    add: (column) => `ALTER TABLE ${name} ADD COLUMN ${quoted(column)} ${columns.get(column)?.sql}`,
    drop,
    objects,
  }
}

function columnSql(column: Column & { name: string }, { typeOf, now, markSql }: SchemaDialect): string {
  const { kind, name, isNullable, isCreation = false, default: value } = column
  if (kind === 'mark') return markSql(name)
  const preset = isCreation ? now : value === undefined ? undefined : literal(value)
  return [
    typeOf(column),
    ...(isNullable ? [] : ['NOT NULL']),
    ...(preset === undefined ? [] : [`DEFAULT ${preset}`]),
  ].join(' ')
}

/** Rows of a resource belong to a workspace: a foreign key on PostgreSQL, and a trigger on SQLite. */
export const workspaceRule = ({ name }: Pick<Table, 'name'>) => `${name}_workspace_exists`

/** A source's rows with their ids, for a sync. Rows that are not synced are not in it. */
export const sourceIndex = (table: string, schema: string): SchemaObject => ({
  kind: 'index',
  name: `${table}_of_source`,
  sql: `CREATE INDEX ${table}_of_source ON ${schema}${quoted(table)} (workspace_id, source, id) WHERE source IS NOT NULL`,
})

/** A row of `resource_tables`: the schema of a table as the last migration left it, and its definition if it is declared. */
export interface RecordedTable extends DeclaredResource {
  version: number
  /** JSON: kind and definition of each column by its name. */
  columns: string
  /** JSON: kind, name and checksum of each index, function and trigger, in the order of creation. */
  objects: string
}

type RecordedObject = [kind: SchemaObject['kind'], name: string, checksum: string]

export const RECORDED_COLUMNS = 'name, version, columns, objects, state, definition, sunset'

const recordOf = ({ columns, objects, declaration, ...schema }: TableSchema): Omit<RecordedTable, 'sunset'> => ({
  name: schema.name,
  version: schema.version,
  columns: JSON.stringify(Object.fromEntries([...columns].map(([column, schema]) => [column, described(schema)]))),
  objects: JSON.stringify(objects.map(recordedObject)),
  state: declaration?.state ?? null,
  definition: declaration?.definition ?? null,
})

const recordedObject = ({ kind, name, sql }: SchemaObject): RecordedObject => [kind, name, checksumOf(sql)]

const creationOf = ({ sql, fill }: SchemaObject): string => (fill === undefined ? sql : `${sql};\n${fill}`)

const described = ({ kind, sql }: ColumnSchema) => `${kind}: ${sql}`

const checksumOf = (sql: string): string => hash('sha256', sql, 'hex')

/** The number that a file name begins with is the version of the schema. */
export function migrationsIn(folder: URL) {
  const migrations = readdirSync(folder)
    .sort()
    .map((file) => ({ version: Number.parseInt(file, 10), sql: () => readFileSync(new URL(file, folder), 'utf8') }))
  const [oldest = 0, newest = 0] = [migrations[0]?.version, migrations.at(-1)?.version]
  return {
    newest,
    after: (version: number) => migrations.filter((migration) => migration.version > version),
    check(version: number, database: string): void {
      if (version > newest)
        throw new StorageError(
          `${database} was written by a newer Vitrine (schema ${version}, this program knows ${newest}); update the program`,
        )
      if (version > 0 && version < oldest)
        throw new StorageError(
          `${database} has schema ${version}, which this program cannot upgrade; run 'vitrine migrate' of release 0.2.0 first`,
        )
    },
  }
}

/**
 * Refuses a newer database, an unknown table, and one that was changed without raising its version. Declared tables have none, and
 * `checkDeclarations` has compared their definitions.
 */
function areCurrent(schemas: readonly TableSchema[], recorded: readonly RecordedTable[], database: string): boolean {
  for (const { name, version, definition } of recorded) {
    if (definition !== null) continue
    const schema = schemas.find((each) => each.name === name)
    if (schema === undefined)
      throw new StorageError(
        `${database} has the table ${name}, and this program has no resource with that table; run one that has it`,
      )
    if (version > schema.version)
      throw new StorageError(
        `${database} was written by a newer Vitrine (table ${name} ${version}, this program knows ${schema.version}); update the program`,
      )
  }
  return schemas.every((schema) => {
    const record = recorded.find(({ name }) => name === schema.name)
    if (record === undefined || record.version < schema.version) return false
    const { columns, objects, definition } = recordOf(schema)
    const isSame = record.columns === columns && record.objects === objects
    if (definition !== null) return isSame && record.definition === definition
    if (!isSame)
      throw new StorageError(
        `${database} has a different table ${schema.name} of version ${schema.version}; raise the version in its definition`,
      )
    return true
  })
}

/** What one engine knows about its database and the program's tables. */
interface Migration {
  tables: readonly Table[]
  recorded: readonly RecordedTable[]
  /** The engine's name in messages. */
  database: string
  options?: MigrationOptions
  tableSchema(table: Table): TableSchema
}

/** Whether no table needs to be migrated. Refuses definitions that cannot be migrated to. */
export function isUpToDate({ tables, recorded, database, options, tableSchema }: Migration): boolean {
  checkDeclarations(tables, recorded, database, options)
  return areCurrent(tablesInUse(tables, recorded, options).map(tableSchema), recorded, database)
}

/** The statements that migrate each table in use, and those that record it. The table of a draft is replaced only while it is empty. */
export function* tableMigrations({ tables, recorded, database, options, tableSchema }: Migration) {
  checkDeclarations(tables, recorded, database, options)
  for (const table of tablesInUse(tables, recorded, options)) {
    const [schema, before] = [tableSchema(table), recorded.find(({ name }) => name === table.name)]
    const replaced = rebuilds(table, before) ? before : undefined
    const statements = replaced === undefined ? changesTo(schema, before, database) : recreation(schema, replaced)
    yield { table, before, replaced, statements, records: recordStatements(recordOf(schema)) }
  }
}

type RecordStatement = [sql: string, ...values: (string | number | null)[]]

/** `?` stands for a value. */
const recordStatements = ({ name, version, columns, objects, state, definition }: ReturnType<typeof recordOf>) => {
  const recordTable: RecordStatement = [
    `INSERT INTO resource_tables VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE
     SET version = excluded.version, columns = excluded.columns, objects = excluded.objects`,
    ...[name, version, columns, objects],
  ]
  const rememberDefinition: RecordStatement = [
    `INSERT INTO declared_resources (name, state, definition) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE
     SET state = excluded.state, definition = excluded.definition`,
    ...[name, state, definition],
  ]
  return definition === null ? [recordTable] : [recordTable, rememberDefinition]
}

/** Replaces the table of a draft, which has no rows. */
const recreation = (schema: TableSchema, recorded: RecordedTable): string[] => [
  ...dropStatements(recorded, schema.drop),
  ...changesTo(schema, undefined, ''),
]

/** Objects that depend on others are dropped first. */
const dropStatements = ({ name, objects }: Pick<RecordedTable, 'name' | 'objects'>, drop: TableSchema['drop']) => [
  ...(JSON.parse(objects) as RecordedObject[]).toReversed().map(([kind, object]) => drop({ kind, name: object })),
  drop({ kind: 'table', name }),
]

export async function dropRecordedTable(tx: SqlConnection, name: string, drop: TableSchema['drop']): Promise<void> {
  const [recorded] = await tx.all<{ objects: string }>('SELECT objects FROM resource_tables WHERE name = ?', name)
  for (const statement of dropStatements({ name, objects: recorded?.objects ?? '[]' }, drop)) await tx.run(statement)
}

function changesTo(schema: TableSchema, recorded: RecordedTable | undefined, database: string): string[] {
  if (recorded === undefined) return [schema.create, ...schema.objects.map(creationOf)]
  const columns = new Map(Object.entries(JSON.parse(recorded.columns) as Record<string, string>))
  const added = [...schema.columns].filter(([column]) => !columns.has(column))
  for (const [column, definition] of columns) checkColumn(schema, column, definition, database)
  for (const [column, { canBeAdded }] of added)
    if (!canBeAdded)
      throw new StorageError(
        `${database} cannot get the column ${column} of ${schema.name}: a new one must be nullable or have a default`,
      )
  const old = JSON.parse(recorded.objects) as RecordedObject[]
  const unchanged = new Set(old.map(([kind, name, checksum]) => `${kind} ${name} ${checksum}`))
  const isIn = (objects: readonly SchemaObject[], kind: string, name: string) =>
    objects.some((object) => object.kind === kind && object.name === name)
  const changed = schema.objects.filter(({ kind, name, sql }) => !unchanged.has(`${kind} ${name} ${checksumOf(sql)}`))
  // If the triggers of a search index other fields, it is created and filled again.
  const isRefilled = ({ name, fill }: SchemaObject) => fill && isIn(changed, 'trigger', `${name}_inserted`)
  const fresh = schema.objects.filter((object) => changed.includes(object) || isRefilled(object))
  const dropped = old
    // Objects that depend on a function are dropped first. The function itself is replaced in place.
    .toReversed()
    .filter(([kind, name]) => !isIn(schema.objects, kind, name) || (kind !== 'function' && isIn(fresh, kind, name)))
  return [
    ...added.map(([column]) => schema.add(column)),
    ...dropped.map(([kind, name]) => schema.drop({ kind, name })),
    ...fresh.map(creationOf),
  ]
}

function checkColumn(schema: TableSchema, column: string, recorded: string, database: string): void {
  const current = schema.columns.get(column)
  const definition = current && described(current)
  if (definition === recorded) return
  throw new StorageError(
    definition === undefined
      ? `${database} has a column ${column} of ${schema.name} that its definition lacks; a column is only ever added`
      : `${database} has the column ${column} of ${schema.name} as ${recorded}, and its definition as ${definition}; a column is only ever added`,
  )
}
