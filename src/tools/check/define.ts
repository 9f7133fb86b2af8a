import type { Client } from './client.ts'

export const groups = ['reach', 'contract', 'rest', 'mcp', 'mcp-2026', 'paths', 'transport', 'headers'] as const
export type Group = (typeof groups)[number]

/** One promise of the contract that can be seen from outside. */
export interface Check {
  /** Stable: reports are compared by it. */
  id: string
  group: Group
  /** The promise. */
  title: string
  /** What goes wrong for a client without it. */
  why: string
  /** The operations of the OpenAPI document that it calls, such as `GET /tasks`. */
  operations?: readonly string[]
  /** Resolves with a note for the report, if there is something to say; throws a Deviation or a Skip. */
  run(client: Client): Promise<string | undefined>
}

/** How the checks of one family are defined: what they have in common is said once. */
export const checkFactory =
  (group: Group, { prefix = group, operations }: { prefix?: string; operations?: readonly string[] } = {}) =>
  (id: string, title: string, why: string, run: Check['run']): Check => ({
    ...{ id: `${prefix}.${id}`, group, title, why },
    ...(operations !== undefined && { operations }),
    run,
  })
