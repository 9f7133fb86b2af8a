import { join } from 'node:path'
import { CONNECTIONS } from '../harness/schedule.ts'
import { measureCpu } from '../harness/server.ts'
import type { Testbed } from '../harness/testbed.ts'
import { getWithKey, prepareVitrine, RATE_LIMIT } from '../harness/vitrine.ts'
import { load } from '../load/load.ts'
import { createKeys } from './databases.ts'

/** A server of its own over so many workspaces and keys, and requests that use all the keys in turn. */
export async function serveKeys(testbed: Testbed, workspaces: number, keysOfEach: number, distinctRequests: number) {
  const path = join(testbed.folder, `keys-${workspaces * keysOfEach}.db`)
  const tokens = await createKeys(path, workspaces, keysOfEach)
  // As many buffers however few keys there are: the load generator shares the machine's caches with the server.
  const request = Array.from({ length: distinctRequests }, (_, i) =>
    getWithKey(tokens[i % tokens.length] as string, '/workspace'),
  )
  const { program } = prepareVitrine(testbed.folder, `sqlite:${path}`)
  const server = await testbed.require({ ...program, env: { ...program.env, RATE_LIMIT } })
  let next = 0
  /** Goes on with the key after the last one used. */
  async function applyLoad(seconds: number): Promise<number> {
    const inTurn = [...request.slice(next), ...request.slice(0, next)]
    const { requests } = await load({
      port: server.port,
      request: inTurn,
      connections: CONNECTIONS,
      seconds,
      status: 200,
    })
    next = (next + requests) % request.length
    server.emptyLog()
    return requests
  }
  return {
    /** CPU microseconds of the server for one request. */
    async costOf(seconds: number): Promise<number> {
      const { result: requests, cpuSeconds } = await measureCpu(server, () => applyLoad(seconds))
      return (cpuSeconds * 1e6) / requests
    },
    rssBytes: () => server.rssBytes(),
    /** Until each key has been used. */
    async warmUp(): Promise<void> {
      for (let used = 0; used < tokens.length; ) used += await applyLoad(1)
    },
  }
}
