import { setTimeout as delay } from 'node:timers/promises'
import { Option } from 'commander'
import type { ReadingStore } from '../../../database/store.ts'
import { type LoggedRequest, type RequestFilter, readRequests, requestOutcomes } from '../../../keys/request-log.ts'
import { isoOf, toInstant } from '../../../lib/instant.ts'
import { workspaceIdOrThrow } from '../../../workspaces/records.ts'
import { Command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { UsageError } from '../../errors.ts'
import { isJson, printMessage } from '../../terminal/output.ts'
import { mayShrink, type PrintedColumns, printSlices } from '../../terminal/table.ts'
import { parseDuration, parseLimit } from '../../terminal/usage.ts'
import { keyOrThrow } from './show.ts'

interface Options {
  workspace?: string
  status?: RequestFilter['outcome']
  since?: string
  limit: number
  follow?: true
}

export const log = ({ withReadingStore }: Context) =>
  new Command('log', 'show the most recent requests of a key or a workspace, newest last')
    .argument('[id]', "the key's id, as 'vitrine key list' shows it")
    .option('--workspace <slug>', "the slug, or a deleted workspace's id")
    .addOption(new Option('--status <status>', 'only requests with this outcome').choices(requestOutcomes))
    .option('--since <when>', 'a duration such as 2h, or a date and time')
    .option('--limit <n>', 'maximum number of requests', parseLimit, 100)
    .option('--follow', 'keep printing new requests until stopped')
    .notes(
      '\nRequests appear about two seconds after their response. Bodies and values of arguments are never logged; see docs/monitoring.md.',
    )
    .examples(
      'key log key_0123456789abcdef01 --status refused --since 1d',
      'key log key_0123456789abcdef01 --follow',
      'key log --workspace northwind --limit 1000 --json > requests.ndjson',
    )
    .withLines(async (id: string | undefined, { limit, follow, ...options }: Options) => {
      if (id === undefined && options.workspace === undefined)
        throw new UsageError('name a key by its id, or a workspace with --workspace')
      const since = options.since === undefined ? undefined : parseSince(options.since)
      const columns = id === undefined ? { ...COLUMNS, KEY: (request: LoggedRequest) => request.keyId } : COLUMNS
      await withReadingStore(async (store) => {
        const found = await filterOf(store, id, options)
        const filter = { ...found, from: since?.(found.nowMs) }
        const printed = await printSlices(requestsOf(store, filter, limit, follow), columns)
        if (printed === 0 && !isJson()) printMessage('No requests match, or none were sent in the last 7 days.')
      })
    })

const filterOf = (store: ReadingStore, id: string | undefined, { workspace, status }: Omit<Options, 'limit'>) =>
  store.read(async (tx): Promise<RequestFilter> => {
    const workspaceId = workspace === undefined ? undefined : await workspaceIdOrThrow(tx, workspace)
    const key = id === undefined ? undefined : await keyOrThrow(tx, id)
    if (key !== undefined && workspaceId !== undefined && key.workspaceId !== workspaceId)
      throw new UsageError(`--workspace: ${key.id} is not a key of ${workspace}`)
    return { nowMs: tx.nowMs, workspaceId: key?.workspaceId ?? workspaceId ?? '', keyId: key?.id, outcome: status }
  })

const POLL_MS = 1000
/** Replicas write their requests a little later than each other. */
const OVERLAP_MS = 60_000
const MAX_AT_ONCE = 5000

async function* requestsOf(store: ReadingStore, filter: RequestFilter, limit: number, follow?: true) {
  let shown = (await store.read((tx) => readRequests(tx, filter, { limit }))).reverse()
  yield shown
  // Beyond the limit there are older ones, which are not new.
  let from = shown.length < limit ? filter.from : shown[0]?.at
  while (follow) {
    await delay(POLL_MS)
    // Reads the last minute again each time, and leaves out what was shown before.
    const last = shown.at(-1)
    const overlap = last === undefined ? '' : isoOf(Date.parse(last.at) - OVERLAP_MS)
    if (overlap > (from ?? '')) from = overlap
    const recent = await store.read((tx) => readRequests(tx, { ...filter, from }, { limit: MAX_AT_ONCE }))
    const ids = new Set(shown.map(({ id }) => id))
    if (recent.length > 0) shown = recent.reverse()
    yield recent.filter(({ id }) => !ids.has(id))
  }
}

const COLUMNS: PrintedColumns<LoggedRequest> = {
  TIME: ({ at }) => at,
  REQUEST: ({ operation }) => operation,
  TOOL: mayShrink((request) => request.tool && `${request.tool}${request.arguments ? `(${request.arguments})` : ''}`),
  STATUS: ({ status }) => status ?? 'gone',
  REASON: ({ refused, code }) => refused ?? code,
  MS: ({ ms }) => ms,
  BYTES: ({ bytes }) => bytes,
  ADDRESS: ({ address }) => address,
  CALLER: mayShrink(({ agent }) => agent),
  OMITTED: ({ omitted }) => omitted || null,
  'REQUEST ID': ({ requestId }) => requestId,
}

/** A duration counts from the database's time. */
function parseSince(text: string): (nowMs: number) => string {
  const instant = toInstant(text)
  if (instant !== undefined) return () => instant
  const ms = parseDuration(text, '--since', 'a duration such as 2h, or a date and time such as 2026-11-16T14:03:00Z')
  return (nowMs) => isoOf(nowMs - ms)
}
