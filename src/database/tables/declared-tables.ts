/**
 * Declared tables have no version. Instead, the database remembers the definition of each table's last migration, and files are
 * compared with it. If a file extends the stored definition, the table is migrated. If the stored definition extends the file, the
 * file is older: a server with that file warns, serves and changes nothing, so that replicas with different files do not undo each
 * other's changes. Any other file is refused. Only `vitrine migrate` applies new wording, and rebuilds drafts while they have no rows.
 */
import { StorageError } from '../errors.ts'
import type { Declaration, Table } from '../table.ts'

/** A row of `declared_resources`. Tables without such a row are built in. */
export interface DeclaredResource {
  name: string
  state: 'draft' | 'published' | null
  definition: string | null
  /** The file may be removed after this date. */
  sunset: string | null
}

export interface MigrationOptions {
  /** For `vitrine migrate`, which applies the files or refuses them. Other commands apply only files that extend the stored definition. */
  isMigration?: boolean
}

type Relation = 'same' | 'reworded' | 'newer' | 'older' | 'incompatible'

function relationOf(declaration: Declaration, definition: string | null): Relation {
  if (definition === null || definition === declaration.definition) return definition === null ? 'newer' : 'same'
  const { breaches, reverse } = declaration.compare(definition)
  if (breaches.length === 0) return reverse.length === 0 ? 'reworded' : 'newer'
  return reverse.length === 0 ? 'older' : 'incompatible'
}

interface TableComparison {
  table: Table
  /** Undefined for a table of the program's own, and for one that is not in the database yet. */
  relation?: Relation
  resource?: DeclaredResource
}

const compareTables = (tables: readonly Table[], resources: readonly DeclaredResource[]): TableComparison[] =>
  tables.map((table) => {
    const resource = table.declaration && resources.find(({ name }) => name === table.name)
    if (table.declaration === undefined || resource === undefined) return { table }
    return { table, resource, relation: relationOf(table.declaration, resource.definition) }
  })

export const tablesInUse = (
  tables: readonly Table[],
  resources: readonly DeclaredResource[],
  { isMigration = false }: MigrationOptions = {},
): Table[] =>
  compareTables(tables, resources).map(({ table, relation = 'same', resource }) => {
    const keepsDefinition = !isMigration && ['older', 'reworded'].includes(relation)
    return keepsDefinition ? (table.declaration?.tableOf(resource?.definition ?? '') ?? table) : table
  })

/** Drafts that can only be migrated by recreating their tables. */
export const rebuilds = (table: Table, resource: DeclaredResource | undefined): boolean =>
  table.declaration !== undefined &&
  resource?.state === 'draft' &&
  ['older', 'incompatible'].includes(relationOf(table.declaration, resource.definition))

export const searchDiffers = ({ declaration }: Table, resource: DeclaredResource | undefined): boolean =>
  typeof resource?.definition === 'string' &&
  declaration?.compare(resource.definition).members.some((member) => ['search', 'current'].includes(member)) === true

/** Refuses definitions that would break clients, and published resources without a file. */
export function checkDeclarations(
  tables: readonly Table[],
  resources: readonly DeclaredResource[],
  database: string,
  { isMigration = false }: MigrationOptions = {},
): void {
  for (const resource of resources)
    if (isMissing(tables, resource) && resource.state === 'published' && !isPastSunset(resource))
      throw new StorageError(`${database} has the published resource ${resource.name}; ${missingFix(resource)}`)
  for (const { table, relation, resource } of compareTables(tables, resources)) {
    const isRefused = relation === 'incompatible' || (relation === 'older' && isMigration)
    if (!isRefused || resource === undefined) continue
    if (resource.state !== 'draft') throw new StorageError(explainBreaches(table, resource))
    if (!isMigration)
      throw new StorageError(`${explainBreaches(table, resource)}; 'vitrine migrate' replaces an empty draft`)
  }
}

export const draftHasRowsError = (table: Table, resource: DeclaredResource) =>
  new StorageError(
    `${explainBreaches(table, resource)}; a draft that has rows can only be extended: to replace it, move its file away, ` +
      `run 'vitrine resource drop ${table.name}', put it back, and import the rows again`,
  )

const isMissing = (tables: readonly Table[], { name, definition }: DeclaredResource) =>
  definition !== null && !tables.some((table) => table.name === name)

const isPastSunset = ({ sunset }: DeclaredResource) => sunset !== null && Date.parse(sunset) <= Date.now()

const missingFix = ({ name, sunset }: DeclaredResource) =>
  sunset === null
    ? `put its file back into RESOURCES: it cannot be renamed or removed before LIFECYCLE has announced the sunset of /${name}, 'vitrine migrate' has recorded it, and it has passed`
    : `put its file back into RESOURCES: it stays until its sunset, ${sunset}`

const explainBreaches = ({ name, declaration }: Table, { state, definition }: DeclaredResource): string => {
  const breaches = declaration?.compare(definition ?? '').breaches ?? []
  const words = breaches.map(({ member, rule, fix }) => `${member}: ${rule} (${fix})`)
  return `${declaration?.file}: does not extend the ${state} definition of ${name} in the database: ${words.join('; ')}`
}

export const differenceKinds = ['older', 'reworded', 'missing'] as const

/** A difference between a file and the database that does not stop a server. */
export interface DefinitionDifference {
  kind: (typeof differenceKinds)[number]
  resource: string
  members: readonly string[]
  reason: string
}

export function definitionDifferences(
  tables: readonly Table[],
  resources: readonly DeclaredResource[],
): DefinitionDifference[] {
  const differing = compareTables(tables, resources).flatMap(({ table, relation, resource }) => {
    if (relation !== 'older' && relation !== 'reworded') return []
    const members = table.declaration?.compare(resource?.definition ?? '').members ?? []
    const reason =
      relation === 'older'
        ? 'the file is older than the definition in the database; deploy the newer file here'
        : "the definition in the database has another wording; run 'vitrine migrate' with the right file"
    return [{ kind: relation, resource: table.name, members, reason: `${members.join(', ')}: ${reason}` }]
  })
  const missing = resources
    .filter((resource) => isMissing(tables, resource))
    .map(({ name, state }) => ({
      kind: 'missing' as const,
      resource: name,
      members: [],
      reason: `the database has this ${state === 'draft' ? 'draft' : 'retired resource'}, and RESOURCES has no file for it; its rows stay until 'vitrine resource drop ${name}'`,
    }))
  return [...differing, ...missing]
}
