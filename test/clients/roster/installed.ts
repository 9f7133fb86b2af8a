import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Connection } from './client.ts'

const folder = join(import.meta.dirname, '../programs')
export const inPrograms = (path: string) => join(folder, 'node_modules', path)

const pinned: Record<string, string> = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies

/** The pinned version of a program, and what is missing if it is not installed here. */
export function installed(name: string, file = 'package.json'): { version: string; missing?: string } {
  const version = pinned[name] ?? 'none'
  if (existsSync(inPrograms(join(name, file)))) return { version }
  return { version, missing: `${name} is not installed: npm run test:clients:install` }
}

/** None of them needs half as long on a busy machine; a hanging one must fail by itself. */
const TIMEOUT_MS = 90_000

/** Starts a program in an empty home, where it finds no account, and with only the PATH of this process' environment. */
export function start(
  { folder: home, signal }: Connection,
  [command, ...args]: [string, ...string[]],
  env: Record<string, string> = {},
): ChildProcess {
  const inherited = { PATH: process.env.PATH, HOME: home, TMPDIR: home, XDG_CONFIG_HOME: join(home, '.config') }
  return spawn(command, args, { cwd: home, env: { ...inherited, NO_COLOR: '1', ...env }, signal, timeout: TIMEOUT_MS })
}

const plain = (words: string[] = []) => stripVTControlCharacters(words.join(''))

/** Runs it to its end; returns its exit code, its results, and everything it printed. */
export async function run(...[connection, command, env]: Parameters<typeof start>) {
  const child = start(connection, command, env)
  child.stdin?.end()
  const printed = [child.stdout, child.stderr].map((stream) => stream?.setEncoding('utf8').toArray() ?? [])
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close') as Promise<[number | null]>, ...printed])
  return { code, stdout: plain(stdout), output: plain([...(stdout ?? []), ...(stderr ?? [])]) }
}
