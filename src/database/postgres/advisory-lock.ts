import type { ClientBase } from 'pg'

/** Who holds the lock; anyone may see the process and the role of a session. */
const HOLDERS = `
  SELECT string_agg(format('process %s of the role %s', pid, usename), ', ') AS holders
  FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (classid::bigint << 32 | objid::bigint) = KEY`

/**
 * Takes the advisory lock of a name or a number until the transaction ends. Any role that may connect can hold it, so the wait is bounded.
 * Returns undefined, or says who still holds it.
 */
export async function takeLock(client: ClientBase, name: string | number, waitMs: number): Promise<string | undefined> {
  const key = typeof name === 'string' ? 'hashtextextended($1, 0)' : '$1::bigint'
  const { rows } = await client.query<{ taken: boolean }>(`SELECT pg_try_advisory_xact_lock(${key}) AS taken`, [name])
  if (rows[0]?.taken) return undefined
  await client.query(`SAVEPOINT before_lock; SET LOCAL lock_timeout = ${waitMs}`)
  try {
    await client.query(`SELECT pg_advisory_xact_lock(${key})`, [name])
    await client.query('SET LOCAL lock_timeout = DEFAULT')
    return undefined
  } catch (error) {
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error
    await client.query('ROLLBACK TO SAVEPOINT before_lock')
    const found = await client.query<{ holders: string | null }>(
      HOLDERS.replace('KEY', () => key),
      [name],
    )
    return `${found.rows[0]?.holders ?? 'another session'} has held a lock that Vitrine needs for over ${waitMs / 1000} seconds; end that session, or try again when it is done`
  }
}

const LOCK_NOT_AVAILABLE = '55P03'
