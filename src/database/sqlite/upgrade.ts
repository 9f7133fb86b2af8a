import type { DatabaseSync } from 'node:sqlite'
import { quoted } from '../statements.ts'
import type { Upgrade } from '../tables/declared-lists.ts'
import { asideName, upgrade } from '../upgrade.ts'
import { SqliteTransaction } from './transaction.ts'

/** Runs in the caller's transaction. */
export function upgradeSqlite(db: DatabaseSync, version: number, createSchema: () => Promise<void>): Promise<Upgrade> {
  const runAll = async (statements: readonly string[]) => {
    for (const statement of statements) db.exec(statement)
  }
  const tx = new SqliteTransaction(db, Date.now())
  return upgrade({
    engine: 'sqlite',
    tx,
    version,
    columns: () => tx.all(COLUMNS),
    async setAside(tables, lists) {
      const searches = lists.map(({ name }) => `DROP TABLE IF EXISTS ${quoted(`${name}_search`)}`)
      const objects = await tx.all<{ type: string; name: string; table: string }>(OBJECTS)
      const ours = objects.filter(({ type, table }) => type === 'view' || tables.includes(table))
      await runAll(ours.map(({ type, name }) => `DROP ${type} ${quoted(name)}`))
      await runAll(searches)
      // Otherwise SQLite would change the operator's own views to the new names.
      db.exec('PRAGMA legacy_alter_table = ON')
      await runAll(tables.map((name) => `ALTER TABLE ${quoted(name)} RENAME TO ${quoted(asideName(name))}`))
      db.exec('PRAGMA legacy_alter_table = OFF')
    },
    createSchema,
    finish: (tables) => runAll(tables.map((name) => `DROP TABLE ${quoted(asideName(name))}`)),
  })
}

const COLUMNS = `SELECT t.name AS "table", c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'`

const OBJECTS = `SELECT type, name, tbl_name AS "table" FROM sqlite_schema
  WHERE (type IN ('index', 'trigger') AND sql IS NOT NULL) OR name = 'request_log_excess'`
