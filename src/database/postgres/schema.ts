import { StorageError } from '../errors.ts'
import { quoted } from '../statements.ts'
import { describeObject, type Restoration, restorable, type SchemaDifference } from '../tables/schema-difference.ts'
import { type Connection, schemaDifferences } from './catalogue.ts'
import { locked } from './migrate.ts'
import type { SessionPool } from './pool/session-pool.ts'

export const restoreSchema = (pool: SessionPool): Promise<Restoration> =>
  locked(pool, async (client) => {
    const restored: SchemaDifference[] = []
    // Twice, because PUBLIC may execute a recreated function.
    for (const _ of [1, 2])
      for (const difference of restorable(await schemaDifferences(client))) {
        await restore(client, difference)
        restored.push(difference)
      }
    return { restored, left: await schemaDifferences(client) }
  })

async function restore(client: Connection, difference: SchemaDifference): Promise<void> {
  const { kind, table, definition } = difference.object
  const drop = kind === 'function' || kind === 'grant' ? '' : `${dropSql(table ?? '', difference.object)};`
  try {
    await client.query(`${drop} ${definition}`)
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string }
    // Rows break a constraint, or an object is in use.
    if (!/^(23|2B|42P13)/.test(code)) throw error
    throw new StorageError(`${describeObject(difference)} cannot be restored: ${message}`, { cause: error })
  }
}

function dropSql(table: string, { kind, name }: { kind: string; name: string }): string {
  switch (kind) {
    case 'trigger':
      return `DROP TRIGGER IF EXISTS ${name} ON vitrine.${quoted(table)}`
    case 'constraint':
      return `ALTER TABLE vitrine.${quoted(table)} DROP CONSTRAINT IF EXISTS ${name}`
    default:
      return `DROP ${kind} IF EXISTS vitrine.${quoted(name)}`
  }
}
