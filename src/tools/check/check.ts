import type { Client } from './client.ts'
import { type Expected, expectResponse } from './expect.ts'
import type { Request } from './http.ts'

export const groups = {
  reach: 'Connection',
  contract: 'Contract',
  rest: 'REST',
  mcp: 'MCP 2025-03-26',
  'mcp-2026': 'MCP 2026-07-28',
  paths: 'Paths',
  transport: 'Transport',
  headers: 'Headers of all responses',
}
export type Group = keyof typeof groups

export interface Check {
  /** Identifies the check when reports are compared. */
  id: `${Group}.${string}`
  title: string
  why: string
  /** Resolves with an optional note for the report; throws a Deviation or a Skip. */
  run(client: Client): Promise<string | undefined>
}

export const checksOf = <Name extends string>(
  prefix: Group | `${Group}.${string}`,
  promises: Record<Name, readonly [title: string, why: string]>,
  runs: Record<Name, Check['run']>,
): Check[] =>
  (Object.keys(promises) as Name[]).map((name) => {
    const [title, why] = promises[name]
    return { id: `${prefix}.${name}` as Check['id'], title, why, run: runs[name] }
  })

export const groupOf = (id: Check['id']): Group => id.slice(0, id.indexOf('.')) as Group

export const probe =
  (...requests: (Request & { expect: Expected })[]): Check['run'] =>
  async (client) => {
    for (const { expect, ...request } of requests) expectResponse(await client.send(request), expect)
  }
