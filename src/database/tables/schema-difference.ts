/**
 * Whether a database has the schema that this program creates. Each engine lists the objects of its catalogue, and those of a new
 * database, in one form. On SQLite the new database is created in memory. On PostgreSQL `npm run contract` has listed its objects in
 * `contract/schema.postgres.json`. Objects that the program does not know are the operator's own.
 */
import { finding } from '../finding.ts'

export interface CatalogueObject {
  /** A grant is a privilege of PUBLIC, which exists only in PostgreSQL. None is ever expected. */
  kind: 'schema' | 'table' | 'column' | 'constraint' | 'index' | 'function' | 'trigger' | 'view' | 'grant'
  /** For a grant, its object. Null if the object belongs to no table. */
  table: string | null
  name: string
  /** The statement that creates it, or revokes a grant. Empty for columns and tables, which need a backup. */
  definition: string
}

export interface SchemaDifference {
  object: CatalogueObject
  fault: 'missing' | 'altered' | 'disabled' | 'granted'
}

export interface Restoration {
  restored: readonly SchemaDifference[]
  left: readonly SchemaDifference[]
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
  const ours = new Set(expected.filter(({ kind }) => GRANTED_ON.includes(kind)).map(nameOf))
  const grants = actual.filter(({ kind, table }) => kind === 'grant' && ours.has(table ?? ''))
  return [...faults, ...grants.map((object): SchemaDifference => ({ object, fault: 'granted' }))]
}

const nameOf = ({ name }: CatalogueObject) => name
const DISABLED = / DISABLED$/
const GRANTED_ON = ['schema', 'table', 'function']

const isRestorable = ({ object }: SchemaDifference): boolean => /^(CREATE|ALTER|REVOKE) /.test(object.definition)

/** Later objects use earlier ones. */
const ORDER = ['function', 'constraint', 'index', 'view', 'trigger', 'grant']

/** What 'vitrine migrate' can restore, in the order in which that works. */
export const restorable = (differences: readonly SchemaDifference[]): SchemaDifference[] =>
  differences.filter(isRestorable).sort((a, b) => ORDER.indexOf(a.object.kind) - ORDER.indexOf(b.object.kind))

/** A missing index is only slow, and a grant changes no response; other faults make responses wrong or unsafe. */
export const isServable = ({ object: { kind } }: SchemaDifference): boolean => kind === 'index' || kind === 'grant'

export const describeObject = ({ object: { kind, name, table }, fault }: SchemaDifference): string =>
  fault === 'granted'
    ? `${name} on ${table} for PUBLIC`
    : `${kind} ${name}${table === null || table === name ? '' : ` of ${table}`}`

const describe = (difference: SchemaDifference): string => `${describeObject(difference)} is ${difference.fault}`

export const explainDifferences = (differences: readonly SchemaDifference[]): string =>
  `${differences.map(describe).join(', ')}; ${fixOf(differences)}`

const fixOf = (differences: readonly SchemaDifference[]): string =>
  differences.every(isRestorable)
    ? "run 'vitrine migrate' to restore this, then 'vitrine doctor' for what was written meanwhile"
    : "restore a backup, or copy what is left into a new database with 'vitrine copy'"

export const schemaFinding = (differences: readonly SchemaDifference[]) =>
  finding('schema', differences.length === 0, differences.map(describe).join(', ') || 'complete', fixOf(differences))
