import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { demoTasks } from '../src/cli/commands/demo/tasks.ts'
import { readConfig } from '../src/config.ts'
import type { Admission } from '../src/database/admission.ts'
import { openOperatorStore, openPublicStore } from '../src/database/open.ts'
import type { OperatorStore, PublicStore } from '../src/database/store.ts'
import { ListWriter } from '../src/lists/stored/write.ts'
import { discoveryInstructions } from '../src/mcp/2026-07-28/protocol.ts'
import { toolFormat } from '../src/mcp/2026-07-28/tools.ts'
import { ENVELOPE_END, type ResultBytes } from '../src/mcp/result-bytes.ts'
import { toolMethods } from '../src/mcp/tools.ts'
import { permissionsOf } from '../src/resources/define.ts'
import { resources } from '../src/resources/index.ts'
import { ResponseCache } from '../src/resources/response-cache.ts'
import type { TaskRow } from '../src/resources/tasks/columns.ts'
import { currentTasks } from '../src/resources/tasks/list.ts'
import { insertWorkspace } from '../src/workspaces/records.ts'
import { atTime } from '../test/support/at-time.ts'

const NOW = Date.parse('2026-11-15T12:00:00.000Z')
const WORKSPACE = 'ws_4f9d2c81a0b3'

const DIGEST = ['dueAt', 'assigneeName']

/** What is asked, by the words of the table. */
const calls: [what: string, tool: string, args: object][] = [
  ['`get_workspace`', 'get_workspace', {}],
  ['`list_tasks`, `countBy: "assignee"`', 'list_tasks', { countBy: 'assignee' }],
  ['`list_tasks`, `due: "today"`', 'list_tasks', { due: 'today' }],
  ['`list_tasks`, 1 task', 'list_tasks', { limit: 1 }],
  ['`list_tasks`, 10 tasks', 'list_tasks', { limit: 10 }],
  ['`list_tasks`, a full page', 'list_tasks', {}],
  ['`list_tasks`, 100 tasks, `fields: ["dueAt"]`', 'list_tasks', { fields: ['dueAt'] }],
  [`\`list_tasks\`, 100 tasks, \`fields: ${JSON.stringify(DIGEST)}\``, 'list_tasks', { fields: DIGEST }],
]
const MISTAKES = { dueBefore: 'tomorrow', fields: ['status'] }

interface TokenCount {
  what: string
  /** Of what a model is given: the text of a tool's answer, the list of tools, the instructions. */
  tokens: number
  /** Of the result, which holds the response twice. */
  bytes: number
}

/** What each kind of response of MCP 2026-07-28 costs a model, in tokens of o200k_base, for tasks like those of the demo. */
export async function tokenCounts(): Promise<TokenCount[]> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-tokens-'))
  const { database, quota } = readConfig({ DATABASE_URL: `sqlite:${join(folder, 'tokens.db')}` })
  const operator = await openOperatorStore(database, resources, { create: true })
  try {
    await fill(operator)
    const store = await openPublicStore(database, resources, {
      defaultQuota: quota,
      clock: () => NOW,
      onUseFailure: () => {},
    })
    try {
      return await count(store, () => addFiveTasks(operator))
    } finally {
      await store.close()
    }
  } finally {
    await operator.close()
    rmSync(folder, { recursive: true })
  }
}

async function count(store: PublicStore, change: () => Promise<void>): Promise<TokenCount[]> {
  const tools = toolMethods(resources, new ResponseCache(store, 10_000_000), toolFormat)
  const admission: Admission = {
    keyId: 'key_1',
    isConnection: false,
    workspaceId: WORKSPACE,
    permissions: new Set(permissionsOf(resources)),
    only: null,
    quota: { limit: 1, windowSeconds: 1 },
    window: { used: 1, resetsAt: NOW },
    available: true,
    revision: Number.MAX_SAFE_INTEGER - 1,
    now: NOW,
  }
  const call = async (
    what: string,
    name: string,
    args: object,
    later = admission,
  ): Promise<TokenCount & { etag: string | undefined }> => {
    const json = resultOf(await tools['tools/call']({ name, arguments: args }, later, {}))
    const { content, structuredContent } = JSON.parse(String(json)) as {
      content: { text: string }[]
      structuredContent?: { etag?: string }
    }
    const tokens = countTokens(content[0]?.text ?? '')
    return { what, tokens, bytes: json.length, etag: structuredContent?.etag }
  }
  const list = resultOf(await tools['tools/list']({}, admission, {}))
  const instructions = discoveryInstructions(resources)
  const counts: TokenCount[] = [
    { what: '`tools/list`', tokens: countTokens(String(list)), bytes: list.length },
    { what: '`server/discover`, its instructions', tokens: countTokens(instructions), bytes: instructions.length },
  ]
  for (const [what, name, args] of calls) counts.push(await call(what, name, args))
  const { etag } = await call('', 'list_tasks', {})
  counts.push(await call('`list_tasks`, unchanged', 'list_tasks', { ifNoneMatch: etag }))
  const since = { changedSince: etag, fields: ['dueAt'] }
  counts.push(await call('`list_tasks`, `changedSince`, nothing changed', 'list_tasks', since))
  await change()
  const afterwards = { ...admission, revision: Number.MAX_SAFE_INTEGER, now: NOW + HOUR_MS }
  counts.push(
    await call('`list_tasks`, `changedSince`, 5 tasks with `fields: ["dueAt"]`', 'list_tasks', since, afterwards),
  )
  counts.push(await call('a tool error with two faults', 'list_tasks', MISTAKES))
  return counts.map(({ what, tokens, bytes }) => ({ what, tokens, bytes }))
}

const resultOf = (bytes: ResultBytes): Buffer => Buffer.concat(bytes).subarray(0, -ENVELOPE_END.length)

/** What a meeting leaves behind; every second task of the demo is given it. */
const FOLLOW_UP = {
  details: 'They hold the price until Friday; ask for the new terms before the order is confirmed.',
  sourceSessionId: 'session_88',
  sourceTitle: 'Supplier call, Alvés & Filhos',
  sourceSummary: 'Price agreed, quantity open. Delivery in week 49 if the deposit is paid this month.',
  sourceKind: 'meeting',
}

/** More than a page of the demo's tasks, and always the same. */
function demoPages(): TaskRow[] {
  const week = demoTasks(NOW)
  return Array.from({ length: 5 * week.length }, (_, i) => {
    const task = week[i % week.length] as TaskRow
    return { ...task, ...(i % 2 === 0 && FOLLOW_UP), id: `task_${String(i + 1).padStart(4, '0')}` }
  })
}

/** Etags and cursors have the time of writes, and so do their tokens. */
async function fill(operator: OperatorStore): Promise<void> {
  await atTime(operator, () => NOW).transaction(async (tx) => {
    const createdAt = new Date(NOW).toISOString()
    const defaults = { timezone: 'Europe/London', currencyCode: 'GBP', countryCode: 'GB' }
    await insertWorkspace(tx, {
      ...{ id: WORKSPACE, slug: 'northwind', name: 'Northwind Buying', createdAt, archivedAt: null },
      ...defaults,
    })
    const writer = await ListWriter.open(tx, currentTasks, WORKSPACE)
    await writer.create(demoPages())
  })
}

const HOUR_MS = 3_600_000

async function addFiveTasks(operator: OperatorStore): Promise<void> {
  const tasks = demoPages().slice(0, 5)
  await atTime(operator, () => NOW + HOUR_MS).transaction(async (tx) => {
    const writer = await ListWriter.open(tx, currentTasks, WORKSPACE)
    await writer.create(tasks.map((task) => ({ ...task, id: `${task.id}_later` })))
  })
}

export function tokenTable(counts: readonly TokenCount[]): string {
  const rows = counts.map(({ what, tokens, bytes }) => `| ${what} | ${format(tokens)} | ${format(bytes)} |`)
  return ['| what | tokens | bytes |', '| --- | --: | --: |', ...rows].join('\n')
}

const format = (number: number) => number.toLocaleString('en-GB')
