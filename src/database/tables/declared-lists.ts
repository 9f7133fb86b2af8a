/**
 * The database remembers the definition of each declared list as it was last migrated, and files are compared with it. A file that
 * extends it becomes the new definition. If it extends the file, the file is older: a server with that file warns, and uses the definition
 * of the database, so that replicas with different files do not undo each other's changes. Any other file is refused. Only
 * `vitrine migrate` applies new wording, and other changes of a draft, which may change as it likes.
 */

import { dirname, resolve } from 'node:path'
import type { List } from '../../lists/definition.ts'
import type { SqlConnection, Transaction } from '../connection.ts'
import { StorageError } from '../errors.ts'

export interface HasList {
  list?: List
  /** Set if an operator declares the list. */
  declaration?: Declaration
  /** Stores the rows of a workspace, which were stored for another shape, for this one. */
  reshape?(tx: Transaction, workspaceId: string): Promise<void>
}

/** A definition that the database remembers, so that the next one can be compared with it. */
export interface Declaration {
  file: string
  state: 'draft' | 'published'
  /** Canonical JSON: definitions with the same meaning are the same text. */
  definition: string
  compare(definition: string): DefinitionComparison
  listOf(definition: string): List
}

interface DefinitionComparison {
  /** What this definition would break for clients of the remembered one, and vice versa. */
  breaches: readonly Breach[]
  reverse: readonly Breach[]
}

/** A change that would break clients: the member, the rule that it breaks, and what to do instead. */
export interface Breach {
  member: string
  rule: string
  fix: string
}

/** A row of `declared_resources`. */
export interface DeclaredResource {
  name: string
  state: 'draft' | 'published'
  definition: string
  /** The path from which it was last migrated; null if an older version did that. */
  file: string | null
  /** The file may be removed after this date. */
  sunset: string | null
}

/** What changes for lists when a database is migrated. */
interface ListChanges {
  /** The definitions that the database remembers from then on. */
  definitions: readonly (Pick<DeclaredResource, 'name' | 'state'> & { isNew: boolean })[]
  /** Lists whose rows are stored again, for their new definitions. */
  reshaped: readonly string[]
}

/** From lists with tables of their own: see upgrade.ts. */
export interface Upgrade {
  /** The version of the schema before. */
  from: number
  /** How many rows each table has now. */
  rows: ReadonlyMap<string, number>
}

/** `from` is 0 for a new database, and left out if the schema stays the same. There are `rows` after an upgrade. */
export interface Migration extends ListChanges, Partial<Upgrade> {}

export interface MigrationOptions {
  /** For `vitrine migrate`, which applies the files or refuses them. Other commands apply only files that extend the stored definition. */
  isMigration?: boolean
  /** Called after a change. */
  onMigrated?: (migration: Migration) => void
}

/** Definitions as last migrated, including those whose files are gone. */
export const rememberedResources = (connection: Pick<SqlConnection, 'all'>): Promise<DeclaredResource[]> =>
  connection.all('SELECT name, state, definition, file, sunset FROM declared_resources ORDER BY name')

type Relation = 'same' | 'reworded' | 'newer' | 'older' | 'incompatible'

function relationOf(declaration: Declaration, definition: string): Relation {
  if (definition === declaration.definition) return 'same'
  const { breaches, reverse } = declaration.compare(definition)
  if (breaches.length === 0) return reverse.length === 0 ? 'reworded' : 'newer'
  return reverse.length === 0 ? 'older' : 'incompatible'
}

interface Comparison {
  list: List
  /** Undefined for a list of the program's own. */
  declaration: Declaration | undefined
  reshape: HasList['reshape']
  /** Undefined if the database does not know the definition yet. */
  remembered: DeclaredResource | undefined
  relation: Relation
  /** Whether the database will remember the definition of the file. */
  isApplied: boolean
  /** By the definition that applies to its rows: that of the database if the file is older, or has new wording that was not migrated to. */
  inUse: List
}

const compareLists = (
  resources: readonly HasList[],
  all: readonly DeclaredResource[],
  { isMigration = false }: MigrationOptions = {},
): Comparison[] =>
  resources.flatMap(({ list, declaration, reshape }): Comparison[] => {
    if (list === undefined) return []
    if (declaration === undefined)
      return [{ list, declaration, reshape, remembered: undefined, relation: 'same', isApplied: false, inUse: list }]
    const remembered = all.find(({ name }) => name === list.name)
    const relation = remembered === undefined ? 'newer' : relationOf(declaration, remembered.definition)
    const isApplied = relation === 'newer' || (isMigration && relation !== 'same')
    const isKept = !isMigration && (relation === 'older' || relation === 'reworded')
    const inUse = isKept && remembered ? declaration.listOf(remembered.definition) : list
    return [{ list, declaration, reshape, remembered, relation, isApplied, inUse }]
  })

export const listsInUse = (
  resources: readonly HasList[],
  all: readonly DeclaredResource[],
  options: MigrationOptions = {},
): List[] => compareLists(resources, all, options).map(({ inUse }) => inUse)

/** Refuses definitions that would break clients, and published resources without a file. */
function checkDeclarations(
  compared: readonly Comparison[],
  all: readonly DeclaredResource[],
  database: string,
  { isMigration = false }: MigrationOptions,
): void {
  // Its rows would be read, and stored again, as those of another list.
  for (const { name } of all)
    if (compared.some(({ list, declaration }) => list.name === name && declaration === undefined))
      throw new StorageError(
        `${database} has rows of a declared resource ${name}, and this version has a list of its own with that name; put the file of yours back into RESOURCES, and yours keeps the name`,
      )
  const missing = all.filter((each) => isMissing(compared, each) && each.state === 'published' && !isPastSunset(each))
  const [first] = missing
  if (first !== undefined && compared.every(({ declaration }) => declaration === undefined))
    throw new StorageError(
      `${database} has published resources (${missing.map(({ name }) => name).join(', ')}), and RESOURCES is not set; set it to the folder with their definitions${placeOf(first)}`,
    )
  if (first !== undefined)
    throw new StorageError(`${database} has the published resource ${first.name}; ${missingFix(first)}`)
  for (const { declaration, remembered, relation } of compared) {
    const isRefused = relation === 'incompatible' || (relation === 'older' && isMigration)
    if (!isRefused || declaration === undefined || remembered === undefined) continue
    if (remembered.state !== 'draft') throw new StorageError(explainBreaches(declaration, remembered))
    if (!isMigration)
      throw new StorageError(`${explainBreaches(declaration, remembered)}; 'vitrine migrate' applies this to a draft`)
  }
}

/** Undefined if the database knows the definitions, and all rows are stored for them. Refuses those that it cannot take. */
export async function listChanges(
  connection: Pick<SqlConnection, 'all'>,
  resources: readonly HasList[],
  database: string,
  options: MigrationOptions = {},
): Promise<ListChanges | undefined> {
  const all = await rememberedResources(connection)
  const compared = compareLists(resources, all, options)
  checkDeclarations(compared, all, database, options)
  const stored = await connection.all<{ list: string; shape: string }>('SELECT DISTINCT list, shape FROM stored_lists')
  const shapes = new Map(compared.map(({ inUse }) => [inUse.name, inUse.shape]))
  const reshaped = stored.filter(({ list, shape }) => (shapes.get(list) ?? shape) !== shape).map(({ list }) => list)
  const definitions = definitionsOf(compared)
  if (definitions.length === 0 && reshaped.length === 0) return undefined
  return { definitions, reshaped: [...new Set(reshaped)].sort() }
}

const definitionsOf = (compared: readonly Comparison[]): ListChanges['definitions'] =>
  compared.flatMap(({ declaration, list: { name }, isApplied, remembered }) =>
    declaration && isApplied ? { name, state: declaration.state, isNew: remembered === undefined } : [],
  )

/** Those of a new database. */
export const newDefinitions = (resources: readonly HasList[]) => definitionsOf(compareLists(resources, []))

/** Remembers the definitions, and stores the rows of changed lists for them. No table changes. */
export async function bringListsUpToDate(
  tx: Transaction,
  resources: readonly HasList[],
  database: string,
  options: MigrationOptions = {},
): Promise<ListChanges> {
  const compared = compareLists(resources, await rememberedResources(tx), options)
  const changes = await listChanges(tx, resources, database, options)
  for (const { list, declaration, reshape, isApplied, inUse } of compared) {
    if (declaration && isApplied)
      await tx.run(
        `INSERT INTO declared_resources (name, state, definition, file) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE
         SET state = excluded.state, definition = excluded.definition, file = excluded.file`,
        ...[list.name, declaration.state, declaration.definition, resolve(declaration.file)],
      )
    // Those of a definition that is kept were stored for it.
    if (inUse !== list) continue
    const sql = 'SELECT workspace_id AS id FROM stored_lists WHERE list = ? AND shape <> ? ORDER BY workspace_id'
    for (const { id } of await tx.all<{ id: string }>(sql, list.name, list.shape)) await reshape?.(tx, id)
  }
  return changes ?? { definitions: [], reshaped: [] }
}

const isMissing = (compared: readonly Comparison[], { name }: DeclaredResource) =>
  !compared.some(({ list }) => list.name === name)

const isPastSunset = ({ sunset }: DeclaredResource) => sunset !== null && Date.parse(sunset) <= Date.now()

const placeOf = ({ file }: DeclaredResource) => (file === null ? '' : `, which were last read from ${dirname(file)}`)

const missingFix = ({ name, sunset }: DeclaredResource) =>
  sunset === null
    ? `put its file back into RESOURCES: it cannot be renamed or removed before LIFECYCLE has announced the sunset of /${name}, 'vitrine migrate' has recorded it, and it has passed`
    : `put its file back into RESOURCES: it stays until its sunset, ${sunset}`

const explainBreaches = ({ file, compare }: Declaration, { name, state, definition }: DeclaredResource): string => {
  const words = compare(definition).breaches.map(({ member, rule, fix }) => `${member}: ${rule} (${fix})`)
  return `${file}: does not extend the ${state} definition of ${name} in the database: ${words.join('; ')}`
}

export const differenceKinds = ['older', 'reworded', 'missing'] as const

/** A difference between a file and the database that does not stop a server. */
export interface DefinitionDifference {
  kind: (typeof differenceKinds)[number]
  resource: string
  reason: string
}

export function definitionDifferences(
  resources: readonly HasList[],
  all: readonly DeclaredResource[],
): DefinitionDifference[] {
  const compared = compareLists(resources, all)
  const differing = compared.flatMap(({ list, relation }) => {
    if (relation !== 'older' && relation !== 'reworded') return []
    const reason =
      relation === 'older'
        ? 'the file is older than the definition in the database; deploy the newer file here'
        : "the definition in the database has another wording; run 'vitrine migrate' with the right file"
    return [{ kind: relation, resource: list.name, reason }]
  })
  const missing = all
    .filter((remembered) => isMissing(compared, remembered))
    .map(({ name, state }) => ({
      kind: 'missing' as const,
      resource: name,
      reason: `the database has this ${state === 'draft' ? 'draft' : 'retired resource'}, and RESOURCES has no file for it; its rows stay until 'vitrine resource drop ${name}'`,
    }))
  return [...differing, ...missing]
}
