import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export const root = join(import.meta.dirname, '../..')
export const clientFolder = join(root, 'client')
export const inPrograms = (path: string) => join(import.meta.dirname, 'programs/node_modules', path)

/** Options for a test that needs this file of the client's tools, which CI must have. */
export function skipWithoutTool(path: string): { skip?: string } {
  if (existsSync(path) || process.env.CI !== undefined) return {}
  return { skip: `${path} is not installed: npm run test:install` }
}

const NODE_20 = inPrograms(`node-linux-${arch()}/bin/node`)

/** The oldest Node.js that the client promises to run on, if it is installed here. */
export const oldestNode = (): string => (existsSync(NODE_20) ? NODE_20 : process.execPath)

/** By the names in their packages; on another system than Linux, or one without glibc, they are reported as missing. */
export const runtimes: Record<'Node.js 20' | 'Deno' | 'Bun', [program: string, ...args: string[]]> = {
  'Node.js 20': [NODE_20],
  Deno: [
    inPrograms(`@deno/${platform()}-${arch()}${platform() === 'linux' ? '-glibc' : ''}/deno`),
    ...['run', '--no-prompt', '--allow-net', '--allow-env', '--allow-read'],
  ],
  Bun: [inPrograms(`@oven/bun-${platform()}-${arch() === 'arm64' ? 'aarch64' : arch()}/bin/bun`)],
}

const execute = promisify(execFile)

/** Shorter than a test may take, so that the failure shows the output. */
const LIMIT = { timeout: 590_000, killSignal: 'SIGKILL' } as const

/** Runs it to its end with only the PATH of this process' environment; a failure's message contains its output. */
export async function run(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<{ stdout: string; stderr: string }> {
  const inherited = { PATH: process.env.PATH ?? '', HOME: cwd, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' }
  try {
    return await execute(program, args, { ...LIMIT, cwd, env: { ...inherited, ...env } })
  } catch (error) {
    // Node.js puts what went to stderr into the message.
    const { stdout = '', message } = error as { stdout?: string; message: string }
    throw new Error(`${stdout}\n${message}`)
  }
}
