import { literal, quoted, quotedColumn, type Table } from '../../table.ts'

/**
 * An index of the trigrams in a row's texts, if the database allows the extension pg_trgm. It only makes searches faster, so
 * it is not part of the schema that is compared: a database without it is complete.
 */
export interface SearchSupport {
  hasIndex: boolean
  /** Whether trigrams contain non-ASCII letters. */
  hasLetters: boolean
}

/** Equivalent to foldCase. ASCII needs no normalisation, which takes ten times as long as the rest. */
export function foldSql(text: string): string {
  const lower = `lower((${text}) COLLATE "und-x-icu")`
  return `CASE WHEN octet_length(${text}) = char_length(${text}) THEN ${lower} ELSE normalize(translate(${lower}, 'ς', 'σ'), NFC) END`
}

/** Not concat_ws, which no index may use. */
export const joinedSql = (fields: readonly string[]): string =>
  fields.map((field) => `coalesce(${quotedColumn(field)}, '')`).join(` || E'\\n' || `)

/** The workspace comes first, so that other workspaces' texts cost little. */
export const indexedSql = (fields: readonly string[]): string =>
  foldSql(`workspace_id || E'\\n' || ${joinedSql(fields)}`)

export const searchSupportSql = (table: string) => `
  SELECT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('vitrine.${table}_search') AND indisvalid) AS "hasIndex",
         (SELECT datctype NOT IN ('C', 'POSIX') FROM pg_database WHERE datname = current_database()) AS "hasLetters"`

interface Client {
  query(text: string): Promise<{ rows: Record<string, unknown>[] }>
}

/** Leaves out what this role or server does not allow. */
export async function createSearchIndexes(client: Client, tables: readonly Table[]): Promise<void> {
  for (const { name, search } of tables) {
    if (search === undefined) continue
    const { rows } = await client.query(`SELECT to_regclass('vitrine.${name}_search') AS name`)
    if (rows[0]?.name !== null) continue
    await client.query('SAVEPOINT search')
    try {
      await client.query('CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public')
      const only = search.only === undefined ? '' : ` WHERE ${search.only[0]} = ${literal(search.only[1])}`
      const indexed = `(${indexedSql(search.fields)}) ${await operators(client)}`
      await client.query(`CREATE INDEX ${name}_search ON vitrine.${quoted(name)} USING gin (${indexed})${only}`)
    } catch {
      await client.query('ROLLBACK TO SAVEPOINT search')
    }
  }
}

/** The extension may be in any schema. */
async function operators(client: Client): Promise<string> {
  const { rows } = await client.query(
    `SELECT format('%I.gin_trgm_ops', nspname) AS name FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
     WHERE extname = 'pg_trgm'`,
  )
  return String(rows[0]?.name)
}
