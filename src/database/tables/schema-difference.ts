/**
 * Whether a database has the schema that this program creates. Each engine lists the objects of its catalogue, and those of a new
 * database, in one form. On SQLite the new database is created in memory. On PostgreSQL `npm run contract` has listed its objects in
 * `contract/schema.postgres.json`. The operator may have tables and views of their own, and indexes on plain columns, but nothing that would
 * run when Vitrine reads or writes: it could change roles, or never end.
 */
import { StorageError } from '../errors.ts'
import { finding } from '../finding.ts'

export interface CatalogueObject {
  kind: 'schema' | 'table' | 'column' | 'constraint' | 'index' | 'function' | 'trigger' | 'view' | NeverExpected
  /** For a grant, its object. Null if the object belongs to no table. */
  table: string | null
  name: string
  /** The statement that creates it, or revokes a grant. */
  definition: string
}

/** Only in PostgreSQL. A grant is a privilege of PUBLIC. */
type NeverExpected = 'grant' | 'rule' | 'policy' | 'operator' | 'child table'

export interface SchemaDifference {
  object: CatalogueObject
  fault: 'missing' | 'altered' | 'disabled' | 'foreign'
}

const keyOf = ({ kind, table, name }: CatalogueObject) =>
  ['column', 'constraint'].includes(kind) ? `${kind} ${table} ${name}` : `${kind} ${name}`

export function differencesOf(
  expected: readonly CatalogueObject[],
  actual: readonly CatalogueObject[],
): SchemaDifference[] {
  const actualByKey = Map.groupBy(actual, keyOf)
  const lost = new Set(
    expected.filter((object) => object.kind === 'table' && !actualByKey.has(keyOf(object))).map(nameOf),
  )
  const faults = expected.flatMap((object): SchemaDifference[] => {
    if (object.kind !== 'table' && lost.has(object.table ?? '')) return []
    const candidates = actualByKey.get(keyOf(object))
    if (candidates === undefined) return [{ object, fault: 'missing' }]
    if (candidates.some(({ definition }) => definition === object.definition)) return []
    return [{ object, fault: candidates.some(({ definition }) => DISABLED.test(definition)) ? 'disabled' : 'altered' }]
  })
  const ours = new Set(expected.filter(({ kind }) => ['schema', 'table', 'function'].includes(kind)).map(nameOf))
  const reported = new Set(faults.map(({ object }) => keyOf(object)))
  const statements = new Set(expected.map(statementOf))
  const foreign = actual.filter(
    (object) => mayRun(object, ours) && !reported.has(keyOf(object)) && !statements.has(statementOf(object)),
  )
  return [...faults, ...foreign.map((object): SchemaDifference => ({ object, fault: 'foreign' }))]
}

const statementOf = (object: CatalogueObject) => `${keyOf(object)} ${object.definition}`

const PLAIN_INDEX = /^CREATE INDEX \S+ ON [^()]+\([\w",\s]+\)( DISABLED)?$/

/** Whether Vitrine's own statements could run it, or everyone could change what it belongs to. */
function mayRun({ kind, table, definition }: CatalogueObject, ours: ReadonlySet<string>): boolean {
  if (['schema', 'table', 'view'].includes(kind)) return false
  if (kind === 'index') return !PLAIN_INDEX.test(definition)
  return !['column', 'constraint', 'child table', 'grant'].includes(kind) || ours.has(table ?? '')
}

const nameOf = ({ name }: CatalogueObject) => name
const DISABLED = / DISABLED$/

/** A missing index is only slow, and a grant changes no response; other faults make responses wrong or unsafe, or run. */
export const isServable = ({ object: { kind }, fault }: SchemaDifference): boolean =>
  kind === 'grant' || (kind === 'index' && (fault === 'missing' || fault === 'disabled'))

/** Call this before anything is written to a database that may have been tampered with. */
export const refuseForeign = (differences: readonly SchemaDifference[], database: string): void =>
  refuse(
    differences.filter(({ object, fault }) => object.kind !== 'grant' && (fault === 'foreign' || fault === 'altered')),
    database,
  )

export const refuseUnservable = (differences: readonly SchemaDifference[], database: string): void =>
  refuse(
    differences.filter((difference) => !isServable(difference)),
    database,
  )

function refuse(differences: readonly SchemaDifference[], database: string): void {
  if (differences.length > 0) throw new StorageError(`${database} ${explainDifferences(differences)}`)
}

export const describeObject = ({ object: { kind, name, table } }: SchemaDifference): string =>
  `${kind === 'grant' ? 'privilege of PUBLIC' : kind} ${name}${table === null || table === name ? '' : ` of ${table}`}`

const describe = (difference: SchemaDifference): string =>
  `${describeObject(difference)} is ${difference.fault === 'foreign' ? "not part of Vitrine's schema" : difference.fault}`

export const explainDifferences = (differences: readonly SchemaDifference[]): string =>
  `${differences.map(describe).join(', ')}; ${fixOf(differences)}`

function fixOf(differences: readonly SchemaDifference[]): string {
  const isOneStatement = ({ object: { kind }, fault }: SchemaDifference) =>
    kind === 'grant' || (kind === 'index' && fault === 'missing')
  if (differences.every(isOneStatement)) return `run ${differences.map(({ object }) => object.definition).join('; ')}`
  return differences.some(({ fault }) => fault === 'foreign')
    ? "if you do not know who added it, restore a backup from before; otherwise drop it, then run 'vitrine doctor'"
    : "restore a backup, or copy what is left into a new database with 'vitrine copy'"
}

export const schemaFinding = (differences: readonly SchemaDifference[]) =>
  finding('schema', differences.length === 0, differences.map(describe).join(', ') || 'complete', fixOf(differences))
