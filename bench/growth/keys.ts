import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load, toBytes } from '../load.ts'
import { makeKeys } from './databases.ts'

const PROGRAM = join(import.meta.dirname, '../../bin/vitrine')

/** A server of its own over so many workspaces and keys, and requests that use all the keys in turn. */
export async function serveKeys(folder: string, workspaces: number, keysOfEach: number, distinctRequests: number) {
  const path = join(folder, `keys-${workspaces * keysOfEach}.db`)
  const tokens = makeKeys(path, workspaces, keysOfEach)
  // As many buffers however few keys there are: the load generator shares the machine's caches with the server.
  const request = Array.from({ length: distinctRequests }, (_, i) =>
    toBytes({ method: 'GET', path: '/workspace', headers: { authorization: `Bearer ${tokens[i % tokens.length]}` } }),
  )
  const env = { ...process.env, DATABASE_URL: `sqlite:${path}`, PORT: '0', RATE_LIMIT: '1000000000;w=60' }
  const server = spawn(PROGRAM, ['serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const port = await listening(server)
  let next = 0
  /** Goes on with the key after the last one used. */
  async function strain(seconds: number): Promise<number> {
    const inTurn = [...request.slice(next), ...request.slice(0, next)]
    const { requests } = await load({ port, request: inTurn, connections: 32, seconds, status: 200 })
    next = (next + requests) % request.length
    return requests
  }
  return {
    /** CPU microseconds of the server for one request. */
    async costOf(seconds: number): Promise<number> {
      const before = cpuMs(server)
      const requests = await strain(seconds)
      return ((cpuMs(server) - before) * 1000) / requests
    },
    memoryMib: () => Number(/VmRSS:\s+(\d+)/.exec(proc(server, 'status'))?.[1]) / 1024,
    /** Until each key has been used. */
    async warmUp(): Promise<void> {
      for (let used = 0; used < tokens.length; ) used += await strain(1)
    },
    async stop(): Promise<void> {
      server.kill()
      await once(server, 'exit')
    },
  }
}

async function listening(server: ChildProcess): Promise<number> {
  let said = ''
  for (;;) {
    const [chunk] = await once(server.stderr as NodeJS.ReadableStream, 'data')
    said += chunk
    const port = /listens on http:\/\/[^:]+:(\d+)/.exec(said)?.[1]
    if (port !== undefined) return Number(port)
  }
}

const proc = ({ pid }: ChildProcess, file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8')

/** Of the process and all its threads, in ticks of ten milliseconds. */
function cpuMs(server: ChildProcess): number {
  const fields = proc(server, 'stat').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
