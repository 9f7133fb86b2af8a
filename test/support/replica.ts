import type { TestContext } from 'node:test'
import { openOperatorStore } from '../../src/database/open.ts'
import { startReplica as start } from './replicas.ts'
import type { Service } from './service.ts'

/**
 * A second server over the database of the first, as after a restart or in parallel; both share the settable clock, and the settings
 * of both wait for each other as long as a busy machine takes.
 */
export const startReplica = (
  t: TestContext,
  { databaseUrl, time }: Pick<Service, 'databaseUrl' | 'time'>,
  env: Record<string, string> = {},
) =>
  start(
    t,
    { DATABASE_URL: databaseUrl, ...env },
    () => time.now,
    (database, resources) => openOperatorStore(database, resources, { create: false }),
  )
