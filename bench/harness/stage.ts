import { makeFolder } from './folder.ts'
import { type Cores, cores, pinTo } from './machine.ts'
import { type Server, type ServerProgram, startServer } from './server.ts'

/** Where a section's servers run: each on the servers' core, this process on the load's. */
export interface Stage {
  folder: string
  cores: Cores
  /** The server, or why it did not start: a contestant that fails is shown as such. */
  start(program: ServerProgram): Promise<Server | Error>
  /** The same, for what cannot be done without. */
  require(program: ServerProgram): Promise<Server>
}

export async function onStage<T>(play: (stage: Stage) => Promise<T>): Promise<T> {
  const chosen = cores()
  pinTo(chosen.load)
  const folder = makeFolder()
  const servers: Server[] = []

  async function require(program: ServerProgram): Promise<Server> {
    const server = await startServer(program, chosen.server, folder)
    servers.push(server)
    return server
  }

  try {
    return await play({ folder, cores: chosen, require, start: (program) => require(program).catch(asError) })
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
