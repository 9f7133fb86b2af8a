import texts from './checks.json' with { type: 'json' }
import type { CheckClient } from './client.ts'
import type { Diagnosis } from './diagnosis.ts'
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
type Group = keyof typeof groups

export interface Check {
  /** Identifies the check when reports are compared. */
  id: `${Group}.${string}`
  title: string
  why: string
  /** Resolves with an optional note for the report; throws a Deviation or a Skip. */
  run(client: CheckClient): Promise<string | undefined>
}

export type Result = Pick<Check, 'id' | 'title' | 'why'> & { group: Group; durationMs: number } & (
    | { status: 'passed'; note?: string }
    | { status: 'skipped'; reason: string }
    | ({ status: 'failed'; expected: string; got: string } & Diagnosis)
  )

/** Texts are in checks.json. In them and in ids, `{path}` stands for the path that is checked. */
export const checksAt = <G extends keyof typeof texts>(
  path: string,
  group: G,
  runs: Record<keyof (typeof texts)[G], Check['run']>,
): Check[] =>
  Object.entries<Pick<Check, 'title' | 'why'>>(texts[group]).map(([name, { title, why }]) => ({
    id: `${group}.${name}`.replace('{path}', path.slice(1).replaceAll('/', '-')) as Check['id'],
    title: title.replace('{path}', path),
    why,
    run: runs[name as keyof typeof runs],
  }))

export const checksOf = <G extends keyof typeof texts>(
  group: G,
  runs: Record<keyof (typeof texts)[G], Check['run']>,
): Check[] => checksAt('', group, runs)

export const groupOf = (id: Check['id']): Group => id.slice(0, id.indexOf('.')) as Group

export const probe =
  (...requests: (Request & { expect: Expected })[]): Check['run'] =>
  async (client) => {
    for (const { expect, ...request } of requests) expectResponse(await client.send(request), expect)
  }
