import { Option } from 'commander'
import { type LoggedRequest, type RequestFilter, readRequests, requestOutcomes } from '../../../keys/request-log.ts'
import { workspaceIdOrThrow } from '../../../workspaces/records.ts'
import { Command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { UsageError } from '../../errors.ts'
import { isJson, printMessage } from '../../terminal/output.ts'
import { type PrintedColumns, printSlices } from '../../terminal/table.ts'
import { parseLimit } from '../../terminal/usage.ts'
import { keyOrThrow } from './show.ts'

interface Options {
  workspace?: string
  status?: RequestFilter['outcome']
  limit: number
}

export const log = ({ read }: Context) =>
  new Command('log', 'show the most recent requests of a key or a workspace, newest last')
    .argument('[id]', "the key's id, as 'vitrine key list' shows it")
    .option('--workspace <slug>', "the slug, or a deleted workspace's id")
    .addOption(new Option('--status <status>', 'only requests with this outcome').choices(requestOutcomes))
    .option('--limit <n>', 'maximum number of requests', parseLimit, 100)
    .notes(
      '\nRequests appear about two seconds after their response. Bodies and values of arguments are never logged; see docs/monitoring.md.',
    )
    .examples(
      'key log key_0123456789abcdef01 --status refused',
      'key log --workspace northwind --limit 1000 --json > requests.ndjson',
    )
    .withLines((id: string | undefined, { workspace, status, limit }: Options) => {
      if ((id === undefined) === (workspace === undefined))
        throw new UsageError('name either a key by its id, or a workspace with --workspace')
      return read(async (tx) => {
        const key = id === undefined ? undefined : await keyOrThrow(tx, id)
        const workspaceId = key?.workspaceId ?? (await workspaceIdOrThrow(tx, workspace ?? ''))
        const filter = { nowMs: tx.nowMs, workspaceId, keyId: key?.id, outcome: status }
        const requests = (await readRequests(tx, filter, { limit })).reverse()
        const columns = key === undefined ? { ...COLUMNS, KEY: (request: LoggedRequest) => request.keyId } : COLUMNS
        await printSlices([requests], columns)
        if (requests.length === 0 && !isJson()) printMessage('No requests match, or none were sent in the last 7 days.')
      })
    })

const COLUMNS: PrintedColumns<LoggedRequest> = {
  TIME: ({ at }) => at,
  REQUEST: ({ operation }) => operation,
  TOOL: (request) => request.tool && `${request.tool}${request.arguments ? `(${request.arguments})` : ''}`,
  STATUS: ({ status }) => status ?? 'gone',
  REASON: ({ refused, code }) => refused ?? code,
  MS: ({ ms }) => ms,
  BYTES: ({ bytes }) => bytes,
  ADDRESS: ({ address }) => address,
  CALLER: ({ agent }) => agent,
  OMITTED: ({ omitted }) => omitted || null,
  'REQUEST ID': ({ requestId }) => requestId,
}
