/**
 * Declared tables have no version. Instead, the database remembers the definition of each table's last migration, and files are
 * compared with it. If a file extends it, the table is migrated. If it extends the file, the file is older: a server with that file
 * warns, serves and changes nothing, so that replicas with different files do not undo each other's changes. Any other file is
 * refused. Only `vitrine migrate` applies new wording, and rebuilds drafts while they have no rows.
 */
import { StorageError } from '../errors.ts'
import type { Breach, Declaration, Table } from '../table.ts'

/** A row of `declared_resources`. A row of `resource_tables` without one belongs to the program. */
export interface Remembered {
  name: string
  state: 'draft' | 'published' | null
  definition: string | null
  /** After it, the file may be removed. */
  sunset: string | null
}

export interface MigrationOptions {
  /** For `vitrine migrate`, which takes the files as they are or refuses them. Any other command only follows newer ones. */
  isMigration?: boolean
}

type Relation = 'same' | 'reworded' | 'newer' | 'older' | 'other'

function relationOf(declaration: Declaration, definition: string | null): Relation {
  if (definition === null || definition === declaration.definition) return definition === null ? 'newer' : 'same'
  const { breaches, reverse } = declaration.compare(definition)
  if (breaches.length === 0) return reverse.length === 0 ? 'reworded' : 'newer'
  return reverse.length === 0 ? 'older' : 'other'
}

interface Compared {
  table: Table
  /** Undefined for a table of the program's own, and for one that is not in the database yet. */
  relation?: Relation
  remembered?: Remembered
}

const compared = (tables: readonly Table[], remembered: readonly Remembered[]): Compared[] =>
  tables.map((table) => {
    const found = table.declaration && remembered.find(({ name }) => name === table.name)
    if (table.declaration === undefined || found === undefined) return { table }
    return { table, remembered: found, relation: relationOf(table.declaration, found.definition) }
  })

export const tablesInUse = (
  tables: readonly Table[],
  remembered: readonly Remembered[],
  { isMigration = false }: MigrationOptions = {},
): Table[] =>
  compared(tables, remembered).map(({ table, relation = 'same', remembered: found }) => {
    const keepsRemembered = !isMigration && ['older', 'reworded'].includes(relation)
    return keepsRemembered ? (table.declaration?.tableOf(found?.definition ?? '') ?? table) : table
  })

/** Drafts that can only be migrated by recreating their tables. */
export const rebuilds = (table: Table, found: Remembered | undefined): boolean =>
  table.declaration !== undefined &&
  found?.state === 'draft' &&
  ['older', 'other'].includes(relationOf(table.declaration, found.definition))

export const searchDiffers = ({ declaration }: Table, found: Remembered | undefined): boolean =>
  typeof found?.definition === 'string' &&
  declaration?.compare(found.definition).members.some((member) => ['search', 'current'].includes(member)) === true

/** Refuses definitions that would break clients, and published resources without a file. */
export function checkDeclarations(
  tables: readonly Table[],
  remembered: readonly Remembered[],
  database: string,
  now: number,
  { isMigration = false }: MigrationOptions = {},
): void {
  for (const found of remembered)
    if (isMissing(tables, found) && found.state === 'published' && !isPastSunset(found, now))
      throw new StorageError(`${database} has the published resource ${found.name}; ${missingFix(found)}`)
  for (const { table, relation, remembered: found } of compared(tables, remembered)) {
    const isRefused = relation === 'other' || (relation === 'older' && isMigration)
    if (!isRefused || found === undefined) continue
    if (found.state !== 'draft') throw new StorageError(explainBreaches(table, found))
    if (!isMigration)
      throw new StorageError(`${explainBreaches(table, found)}; 'vitrine migrate' replaces an empty draft`)
  }
}

export const hasRows = (table: Table, found: Remembered) =>
  new StorageError(
    `${explainBreaches(table, found)}; a draft that has rows can only be extended: to replace it, move its file away, ` +
      `run 'vitrine resource drop ${table.name}', put it back, and import the rows again`,
  )

const isMissing = (tables: readonly Table[], { name, definition }: Remembered) =>
  definition !== null && !tables.some((table) => table.name === name)

const isPastSunset = ({ sunset }: Pick<Remembered, 'sunset'>, now: number) =>
  sunset !== null && Date.parse(sunset) <= now

const missingFix = ({ name, sunset }: Remembered) =>
  sunset === null
    ? `put its file back into RESOURCES: it cannot be renamed or removed before LIFECYCLE has announced the sunset of /${name}, 'vitrine migrate' has recorded it, and it has passed`
    : `put its file back into RESOURCES: it stays until its sunset, ${sunset}`

const explainBreaches = ({ name, declaration }: Table, { state, definition }: Remembered): string => {
  const breaches = declaration?.compare(definition ?? '').breaches ?? []
  const words = breaches.map(({ member, rule, fix }: Breach) => `${member}: ${rule} (${fix})`)
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
  remembered: readonly Remembered[],
): DefinitionDifference[] {
  const differing = compared(tables, remembered).flatMap(({ table, relation, remembered: found }) => {
    if (relation !== 'older' && relation !== 'reworded') return []
    const members = table.declaration?.compare(found?.definition ?? '').members ?? []
    const reason =
      relation === 'older'
        ? 'the file is older than the definition in the database; deploy the newer file here'
        : "the definition in the database has another wording; run 'vitrine migrate' with the right file"
    return [{ kind: relation, resource: table.name, members, reason: `${members.join(', ')}: ${reason}` }]
  })
  const missing = remembered
    .filter((found) => isMissing(tables, found))
    .map(({ name, state }) => ({
      kind: 'missing' as const,
      resource: name,
      members: [],
      reason: `the database has this ${state === 'draft' ? 'draft' : 'retired resource'}, and RESOURCES has no file for it; its rows stay until 'vitrine resource drop ${name}'`,
    }))
  return [...differing, ...missing]
}
