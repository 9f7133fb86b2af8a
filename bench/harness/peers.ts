import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { taskFixture } from './fixture.ts'
import type { BenchOptions } from './schedule.ts'
import type { Server, ServerProgram } from './server.ts'
import type { Testbed } from './testbed.ts'

export interface Peer {
  name: string
  /** The package whose version is shown. */
  package: string
  /** What runs it, if not Node.js. */
  runtime?: Runtime
  /** What it must be told to accept so that it answers with JSON, if not what clients send. */
  accept?: string
}

const PEERS = join(import.meta.dirname, '../peers')

/** A package that holds nothing but the program, and how that is started. */
interface Runtime {
  package: string
  command: readonly [program: string, ...options: string[]]
}

const arm = process.arch === 'arm64'
export const bun: Runtime = { package: `@oven/bun-linux-${arm ? 'aarch64' : 'x64'}`, command: ['bin/bun', 'run'] }
export const deno: Runtime = {
  package: `@deno/linux-${arm ? 'arm64' : 'x64'}-glibc`,
  command: ['deno', 'run', '--allow-all'],
}

/** A peer's program gets its data as a file, which it reads once at its start. */
export function peerProgram({ name, runtime }: Peer, dataFile: string, probe: Buffer, env = {}): ServerProgram {
  const [program, ...options] = runtime?.command ?? [process.execPath]
  const path = runtime === undefined ? program : join(PEERS, 'node_modules', runtime.package, program)
  const command = [path, ...options, join(PEERS, `${name}.mjs`)]
  return { name, command, env: { BENCH_DATA: dataFile, ...env }, probe }
}

export function writeData(folder: string, workspace: unknown): string {
  const path = join(folder, 'data.json')
  writeFileSync(path, JSON.stringify({ workspace, tasks: taskFixture }))
  return path
}

export const isSelected = (name: string, { servers }: BenchOptions): boolean =>
  servers === undefined || servers.includes(name)

export interface StartedPeer extends Peer {
  server: Server | Error
}

export async function startPeers(
  testbed: Testbed,
  peers: readonly Peer[],
  dataFile: string,
  probe: Buffer,
  env: Record<string, string> = {},
): Promise<StartedPeer[]> {
  const started = []
  for (const peer of peers) {
    const server = await testbed.start(peerProgram(peer, dataFile, probe, env))
    started.push({ ...peer, server })
  }
  return started
}

/** "fastify 5.12.8, hono 4.13.17" */
export function versionsOf(peers: readonly Peer[]): string {
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(PEERS, 'package.json'), 'utf8'),
  ) as Record<'dependencies' | 'optionalDependencies', Record<string, string>>
  const versions = { ...dependencies, ...optionalDependencies }
  const names = peers.flatMap((peer) => [peer.package, ...(peer.runtime === undefined ? [] : [peer.runtime.package])])
  return [...new Set(names)].map((name) => `${name} ${versions[name]}`).join(', ')
}
