import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { taskFixture } from './fixture.ts'
import type { BenchOptions } from './pace.ts'
import type { Server, ServerProgram } from './server.ts'
import type { Stage } from './stage.ts'

export interface Peer {
  name: string
  /** The package whose version is shown. */
  package: string
  /** What it must be told to accept so that it answers with JSON, if not what clients send. */
  accept?: string
}

const BENCH = join(import.meta.dirname, '..')

/** A peer's program gets its data as a file, which it reads once at its start. */
export function peerProgram({ name }: Peer, dataFile: string, probe: Buffer): ServerProgram {
  const command = [process.execPath, join(BENCH, 'contestants', `${name}.mjs`)]
  return { name, command, env: { BENCH_DATA: dataFile }, probe }
}

export function writeData(folder: string, workspace: unknown): string {
  const path = join(folder, 'data.json')
  writeFileSync(path, JSON.stringify({ workspace, tasks: taskFixture }))
  return path
}

export const isWanted = (name: string, { contestants }: BenchOptions): boolean =>
  contestants === undefined || contestants.includes(name)

export interface StartedPeer extends Peer {
  server: Server | Error
}

export async function startPeers(
  stage: Stage,
  peers: readonly Peer[],
  dataFile: string,
  probe: Buffer,
): Promise<StartedPeer[]> {
  const started = []
  for (const peer of peers) started.push({ ...peer, server: await stage.start(peerProgram(peer, dataFile, probe)) })
  return started
}

/** "fastify 5.12.8, hono 4.13.17" */
export function versionsOf(peers: readonly Peer[]): string {
  const { dependencies } = JSON.parse(readFileSync(join(BENCH, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  return peers.map((peer) => `${peer.package} ${dependencies[peer.package]}`).join(', ')
}
