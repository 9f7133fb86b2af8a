import { withClient } from './postgres-server.ts'
import { waitUntil } from './wait.ts'

interface Subscription {
  from: string
  to: string
  /** As in CREATE PUBLICATION. */
  publication: string
}

/** A real subscription of one server to tables of another; resolves when the first copy of all of them is there. */
export async function subscribe({ from, to, publication }: Subscription): Promise<void> {
  await withClient(from, (client) => client.query(`CREATE PUBLICATION shown ${publication}`))
  const { hostname, port, pathname } = new URL(from)
  const connection = `host=${hostname} port=${port} user=postgres dbname=${pathname.slice(1)}`
  await withClient(to, (client) =>
    client.query(`CREATE SUBSCRIPTION shown CONNECTION '${connection}' PUBLICATION shown`),
  )
  await untilCopied(to)
}

export async function untilCopied(to: string): Promise<void> {
  await withClient(to, (client) =>
    waitUntil(
      async () => (await client.query(`SELECT FROM pg_subscription_rel WHERE srsubstate <> 'r'`)).rowCount === 0,
      { message: 'the tables were not copied' },
    ),
  )
}

/** Resolves when the subscriber has applied everything that the publisher has committed by now. */
export async function untilApplied({ from }: Pick<Subscription, 'from'>): Promise<void> {
  await withClient(from, async (client) => {
    const { rows: now } = await client.query('SELECT pg_current_wal_lsn() AS lsn')
    await waitUntil(
      async () => {
        const { rows } = await client.query(
          `SELECT FROM pg_stat_replication WHERE application_name = 'shown' AND replay_lsn >= $1`,
          [now[0]?.lsn],
        )
        return rows.length === 1
      },
      { message: 'the subscriber did not follow' },
    )
  })
}
