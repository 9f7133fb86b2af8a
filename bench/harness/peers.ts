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
  /** What it must be told to accept so that it answers with JSON, if not what clients send. */
  accept?: string
}

const PEERS = join(import.meta.dirname, '../peers')

/** A peer's program gets its data as a file, which it reads once at its start. */
export const peerProgram = ({ name }: Peer, dataFile: string, probe: Buffer, env = {}): ServerProgram => ({
  name,
  command: [process.execPath, join(PEERS, `${name}.mjs`)],
  env: { BENCH_DATA: dataFile, ...env },
  probe,
})

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

/** "fastify 5.12.8, mcp-lite 0.10.0" */
export function versionsOf(peers: readonly Peer[]): string {
  const { dependencies } = JSON.parse(readFileSync(join(PEERS, 'package.json'), 'utf8'))
  return [...new Set(peers.map((peer) => `${peer.package} ${dependencies[peer.package]}`))].join(', ')
}
