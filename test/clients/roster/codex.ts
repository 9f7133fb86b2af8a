import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { textOf } from '../fixture.ts'
import { pasted, write } from './agents.ts'
import type { Client, Connection, Seen } from './client.ts'
import { inPrograms, installed, start } from './installed.ts'

interface Status {
  data: { tools: Record<string, unknown>; toolsError: string | null }[]
}

export const codexProgram = inPrograms('@openai/codex/bin/codex.js')

const drive = (...features: string[]) =>
  async function use(connection: Connection): Promise<Seen> {
    write(connection, '.codex/config.toml', pasted('codex', connection))
    return useCodex(connection, features)
  }

/** Codex as its editor extensions drive it: JSON-RPC over standard input and output. No model is asked. */
export async function useCodex(connection: Connection, features: string[] = []): Promise<Seen> {
  const enabled = features.flatMap((feature) => ['--enable', feature])
  const child = start(connection, [process.execPath, codexProgram, ...enabled, 'app-server'])
  child.stderr?.resume()
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  const failures: string[] = []
  createInterface({ input: child.stdout ?? process.stdin }).on('line', (line) => {
    const { id, result, error, params } = JSON.parse(line)
    if (params?.status === 'failed') failures.push(params.error)
    if (error !== undefined) waiting.get(id)?.reject(new Error(error.message))
    else waiting.get(id)?.resolve(result)
  })
  child.on('close', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`it ended with ${code}`))
  })
  const send = (message: object) => child.stdin?.write(`${JSON.stringify(message)}\n`)
  let id = 0
  const ask = <T>(method: string, params: object) =>
    new Promise<T>((resolve, reject) => {
      id += 1
      waiting.set(id, { resolve: resolve as (result: unknown) => void, reject })
      send({ id, method, params })
    })
  try {
    await ask('initialize', { clientInfo: { name: 'test', version: '1.0.0' } })
    send({ method: 'initialized' })
    const { thread } = await ask<{ thread: { id: string } }>('thread/start', {})
    const call = async (tool: string, args: object) =>
      textOf(
        await ask('mcpServer/tool/call', { server: 'vitrine-acme', threadId: thread.id, tool, arguments: args }).catch(
          (error: Error) => {
            throw new Error([error.message, ...failures].join('\n'))
          },
        ),
      )
    const workspace = await call('get_workspace', {})
    const tasks = await call('list_tasks', { limit: 1 })
    const { data } = await ask<Status>('mcpServerStatus/list', {})
    return { tools: Object.keys(data[0]?.tools ?? {}).sort(), workspace, tasks }
  } finally {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  }
}

export const codex: Client[] = [
  { name: 'Codex', ...installed('@openai/codex'), use: drive() },
  {
    name: 'Codex, feature `mcp_2026_07_28`',
    ...installed('@openai/codex'),
    // It gives up when its first request is refused, and does not fall back.
    fails: { '/mcp': /unsupported_protocol_version/ },
    use: drive('mcp_2026_07_28'),
  },
]
