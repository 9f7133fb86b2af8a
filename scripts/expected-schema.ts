/** What schema.sql creates on PostgreSQL: `doctor`, `migrate` and the start of a server compare databases with it. */
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { openOperatorStore, parseDatabaseUrl } from '../src/database/open.ts'
import { type ExpectedSchema, type Privilege, readCatalogue } from '../src/database/postgres/catalogue.ts'
import type { CatalogueObject } from '../src/database/tables/schema-difference.ts'

/** The database must be new; it is left migrated. */
export async function expectedPostgresSchema(url: string): Promise<string> {
  await (await openOperatorStore(parseDatabaseUrl(url), [], { create: true })).close()
  // As the program's own sessions: PostgreSQL leaves out the schema of names that it finds without it.
  const client = new pg.Client({ connectionString: url, options: '-c search_path=vitrine' })
  await client.connect()
  try {
    const expected: ExpectedSchema = {
      objects: sorted(await readCatalogue(client)),
      settings: grantsIn('settings-writes.sql'),
    }
    return `{\n${Object.entries(expected)
      .map(([name, values]) => `"${name}": ${list(values).trimEnd()}`)
      .join(',\n')}\n}\n`
  } finally {
    await client.end()
  }
}

/** Functions stay in the order of their creation, in which they can be created again. */
const sorted = (objects: CatalogueObject[]) =>
  objects
    .map((object) => ({ object, place: object.kind === 'function' ? '' : `${object.table} ${object.name}` }))
    .sort((a, b) => compare(a.object.kind, b.object.kind) || compare(a.place, b.place))
    .map(({ object }) => object)

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** One value a line, so that a review shows what a migration changes. */
const list = (values: readonly (CatalogueObject | Privilege)[]) =>
  `[\n${values.map((value) => JSON.stringify(value)).join(',\n')}\n]\n`

/** The privileges that a file of docs/sql grants to the server's role. */
function grantsIn(file: string): Privilege[] {
  const sql = readFileSync(new URL(`../docs/sql/${file}`, import.meta.url), 'utf8')
  return [...sql.matchAll(/^GRANT (.+) ON (.+) TO vitrine_server;$/gm)].flatMap(([, privileges = '', tables = '']) =>
    tables.split(', ').flatMap((table) =>
      [...privileges.matchAll(/([A-Z]+)(?: \(([^)]+)\))?/g)].flatMap(([, what = '', columns]): Privilege[] => {
        const name = table.replace(/^(FUNCTION )?vitrine\./, '')
        return columns === undefined ? [[what, name]] : columns.split(', ').map((column) => [what, name, column])
      }),
    ),
  )
}
