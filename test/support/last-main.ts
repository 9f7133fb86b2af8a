import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { connectElsewhere, type Engine } from './database.ts'

const folder = join(import.meta.dirname, '../database/last-main')
const migrations = (engine: Engine) =>
  globSync('*.sql', { cwd: join(folder, engine) })
    .sort()
    .map((file) => readFileSync(join(folder, engine, file), 'utf8'))

const repository = join(import.meta.dirname, '../..')

/** A database as the program of schema 8 created it: tasks had no source, and there was no table of sources. */
export async function createSchema8(url: string): Promise<void> {
  const engine: Engine = url.startsWith('sqlite:') ? 'sqlite' : 'postgres'
  const read = (file: string) => readFileSync(join(repository, file), 'utf8')
  const first = read(`src/database/${engine}/migrations/0008-first.sql`)
  const tasks = read(`test/database/schema-8/${engine}.sql`)
  const elsewhere = await connectElsewhere(url)
  await elsewhere.run(
    engine === 'sqlite'
      ? `${first};${tasks}; PRAGMA application_id = 0x5654524e; PRAGMA user_version = 8`
      : `CREATE SCHEMA vitrine;
         CREATE TABLE vitrine.migrations (number integer PRIMARY KEY, run_at timestamptz NOT NULL DEFAULT now());
         ${first};${tasks}; INSERT INTO vitrine.migrations (number) VALUES (8)`,
  )
  await elsewhere.close()
}

/** A database as the last program left it whose migrations were not folded yet: schema 7 on SQLite, 6 on PostgreSQL. */
export async function createLastMain(url: string, schema?: number): Promise<void> {
  if (url.startsWith('sqlite:')) {
    const db = new DatabaseSync(url.replace('sqlite:', ''))
    // The program lent it to the migration that chains what was there before; here nothing was.
    db.function('audit_hash', { varargs: true }, () => '')
    const all = migrations('sqlite')
    for (const sql of all) db.exec(sql)
    db.exec(`PRAGMA application_id = 0x5654524e; PRAGMA user_version = ${schema ?? all.length}`)
    return db.close()
  }
  const elsewhere = await connectElsewhere(url)
  const all = migrations('postgres')
  await elsewhere.run(`
    CREATE SCHEMA vitrine;
    CREATE TABLE vitrine.migrations (number integer PRIMARY KEY, run_at timestamptz NOT NULL DEFAULT now());
    ${all.join(';')};
    INSERT INTO vitrine.migrations (number) SELECT generate_series(1, ${schema ?? all.length})`)
  await elsewhere.close()
}
