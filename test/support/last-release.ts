import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectElsewhere } from './database.ts'

const root = join(import.meta.dirname, '../..')
const release = join(root, 'test/database/release-0.1.0')
const NEWEST = 11

/** A key of its workspace northwind, as `key create` printed it. */
export const RELEASE_KEY = 'vtr_xd2HHvW1QNiKRLvEvBVoHmeoi7qRmBmLejizdMKKgqK1SZ35Y'

/** The statements that its server sends to PostgreSQL. */
export const releaseStatements = (): string[] =>
  readFileSync(join(release, 'statements.postgres.sql'), 'utf8')
    .replace(/^--.*\n/, '')
    .split('\n;\n')
    .filter((statement) => statement.trim() !== '')

/** A database as the last release left it. Its migrations are still those of this program: they are frozen. */
export async function createLastRelease(url: string): Promise<void> {
  const engine = url.startsWith('sqlite:') ? 'sqlite' : 'postgres'
  const folder = join(root, 'src/database', engine, 'migrations')
  const migrations = globSync('*.sql', { cwd: folder }).sort()
  const known = migrations.filter((file) => Number.parseInt(file, 10) <= NEWEST)
  const sql = [...known.map((file) => join(folder, file)), join(release, `${engine}.sql`), join(release, 'rows.sql')]
    .map((file) => readFileSync(file, 'utf8'))
    .join(';\n')
  // As the program creates it: only for its user.
  if (engine === 'sqlite') writeFileSync(url.replace('sqlite:', ''), '', { mode: 0o600 })
  const elsewhere = await connectElsewhere(url)
  if (engine === 'sqlite') {
    await elsewhere.run(sql)
    await elsewhere.run(`PRAGMA application_id = 0x5654524e; PRAGMA user_version = ${NEWEST}`)
  } else
    await elsewhere.run(`
      CREATE SCHEMA vitrine;
      CREATE TABLE vitrine.migrations (number integer PRIMARY KEY, run_at timestamptz NOT NULL DEFAULT now());
      ${sql};
      INSERT INTO vitrine.migrations (number) SELECT generate_series(8, ${NEWEST});
      SELECT setval(pg_get_serial_sequence('vitrine.audit', 'id'), max(id)) FROM vitrine.audit`)
  await elsewhere.close()
}
