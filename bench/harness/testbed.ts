import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Cores, cores, pinTo, unpin } from './machine.ts'
import { type Server, type ServerProgram, startServer } from './server.ts'

/** Where a section's servers run; what it started is stopped, and its folder removed, when the section ends. */
export interface Testbed {
  folder: string
  cores: Cores
  isPinned: boolean
  /** The server, or why it did not start: one that fails is shown as such. */
  start(program: ServerProgram): Promise<Server | Error>
  /** The same, for what cannot be done without. */
  require(program: ServerProgram): Promise<Server>
}

interface TestbedOptions {
  /** Servers on one core and this process, which makes the load, on another; otherwise both may use either core. */
  isPinned?: boolean
}

export async function withTestbed<T>(
  run: (testbed: Testbed) => Promise<T>,
  { isPinned = true }: TestbedOptions = {},
): Promise<T> {
  const chosen = cores()
  if (isPinned) pinTo(chosen.load)
  else unpin()
  const folder = createFolder()
  const servers: Server[] = []

  async function require(program: ServerProgram): Promise<Server> {
    const serverCores = isPinned ? String(chosen.server) : `${chosen.server},${chosen.load}`
    const server = await startServer(program, serverCores, folder)
    servers.push(server)
    return server
  }

  try {
    return await run({ folder, cores: chosen, isPinned, require, start: (program) => require(program).catch(asError) })
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Also removed where the process ends in the middle of a section. */
function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
