import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tableSchema as postgres } from '../src/database/postgres/table-schema.ts'
import { tableSchema as sqlite } from '../src/database/sqlite/table-schema.ts'
import { tablesOf } from '../src/database/table.ts'
import type { TableSchema } from '../src/database/tables/table-changes.ts'
import { resources } from '../src/resources/index.ts'

/** For reviews, and for the checksum of a version. */
export const schemaSql = ({ create, objects }: TableSchema): string =>
  [create, ...objects.map(({ sql }) => sql)].map((sql) => `${sql};\n`).join('\n')

const database = join(import.meta.dirname, '../src/database')

/** SHA-256 of everything that databases are created with: each migration, and each version of a resource's table. */
export function schemaChecksums(): Record<string, string> {
  const files = globSync('{sqlite,postgres}/migrations/*.sql', { cwd: database }).sort()
  const migrations = files.map(
    (file) => [file.replaceAll('\\', '/'), readFileSync(join(database, file), 'utf8')] as const,
  )
  const tables = Object.entries({ sqlite, postgres }).flatMap(([engine, tableSchema]) =>
    tablesOf(resources).map(
      (table) => [`${engine}/${table.name} version ${table.version}`, schemaSql(tableSchema(table))] as const,
    ),
  )
  return Object.fromEntries([...migrations, ...tables].map(([name, sql]) => [name, hash('sha256', sql, 'hex')]))
}

const FROZEN = new URL('../test/database/frozen.json', import.meta.url)

export const frozenChecksums = (): Record<string, string> => JSON.parse(readFileSync(FROZEN, 'utf8'))

/** For each schema that is not as it was recorded: what to do. */
export function frozenFaults(current: Record<string, string>, frozen: Record<string, string>): string[] {
  return Object.entries(frozen).flatMap(([name, checksum]) => {
    const [, table, version] = /^\w+\/(\w+) version (\d+)$/.exec(name) ?? []
    if (current[name] === checksum || (table !== undefined && current[name] === undefined)) return []
    return table === undefined
      ? `${name} was changed or removed: restore it, and write a new migration instead`
      : `${name} was changed: raise the version of ${table} to ${Number(version) + 1} in src/resources/${table}/contract.ts; ` +
          'if this version was never committed, delete its line in test/database/frozen.json'
  })
}
