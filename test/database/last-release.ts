import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectElsewhere } from '../support/database.ts'

const folder = join(import.meta.dirname, 'old-databases')

/** Databases from before version 100 of the schema: of the last release, and the last one that had a table for each list. */
export const oldVersions = ['0.2.0', 'schema-35'] as const

/** A key of their workspace northwind, as `key create` printed it. */
export const RELEASE_KEY = 'vtr_xd2HHvW1QNiKRLvEvBVoHmeoi7qRmBmLejizdMKKgqK1SZ35Y'

/** As that version's own commands left it. */
export async function createOldDatabase(url: string, version: (typeof oldVersions)[number]): Promise<void> {
  const engine = url.startsWith('sqlite:') ? 'sqlite' : 'postgres'
  // As the program creates it: only for its user.
  if (engine === 'sqlite') writeFileSync(url.replace('sqlite:', ''), '', { mode: 0o600 })
  const elsewhere = await connectElsewhere(url)
  await elsewhere.run(readFileSync(join(folder, `${version}.${engine}.sql`), 'utf8'))
  await elsewhere.close()
}

export const createLastRelease = (url: string): Promise<void> => createOldDatabase(url, '0.2.0')
