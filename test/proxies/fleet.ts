import type { TestContext } from 'node:test'
import type { Engine } from '../support/database.ts'
import { freePort } from '../support/listen.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { acmeProgram, program, type Running } from '../support/program.ts'

export interface Fleet {
  ports: number[]
  key: string
  /** Stops one as a supervisor does, with SIGTERM, and restarts it on its port; returns the exit code. */
  restart(index: number): Promise<number | null>
}

/** The program as operators run it: processes of their own, each on a port that stays, over one database. */
export async function startFleet(
  t: TestContext,
  { count, engine, settings = {} }: { count: number; engine: Engine; settings?: Record<string, string> },
): Promise<Fleet> {
  const DATABASE_URL = await migratedDatabaseUrl(t, engine)
  const ports: number[] = []
  while (ports.length < count) ports.push(await freePort())
  const shared = { DATABASE_URL, RATE_LIMIT: '1000000;w=60', TRUST_PROXY: '1', LOG_LEVEL: 'warn', ...settings }
  const first = await acmeProgram(t, { ...shared, PORT: String(ports[0]) })
  const { token } = await first.createKey()
  const others = ports.slice(1).map((port) => program(t, { ...shared, PORT: String(port) }))
  const programs = [first, ...others]
  const running: Running[] = await Promise.all(programs.map((each) => each.start('serve')))
  return {
    ports,
    key: token,
    async restart(index) {
      const code = (await running[index]?.stop('SIGTERM')) ?? null
      const again = await programs[index]?.start('serve')
      if (again !== undefined) running[index] = again
      return code
    },
  }
}
