import { Command } from 'commander'
import type { ReadingStore } from '../database/store.ts'
import { type AttentionKind, attentionKinds, everyKey, type ListedKey } from '../keys/judged.ts'
import { formatQuota } from '../keys/quota.ts'
import { endOf } from '../keys/state.ts'
import { listWorkspaces, workspaceIdOrThrow } from '../resources/workspace/records.ts'
import type { Context } from './context.ts'
import { UsageError } from './errors.ts'
import { drained, printJson, printMessage, printPart } from './output.ts'
import { type Columns, type Layout, mayShrink, printTable } from './table.ts'
import { examples } from './usage.ts'

interface Options {
  workspace?: string
  attention?: true
  json?: true
}

export const command = ({ withReadingStore }: Context) =>
  new Command('list')
    .description('list the keys of a workspace, revoked and expired ones included')
    .option('--workspace <slug>', 'the workspace; the id of one that was deleted')
    .option(
      '--attention',
      'print one line of JSON, for monitoring: the keys that need attention, of all workspaces unless one is named',
    )
    .option('--json', 'print them as a JSON array')
    .addHelpText('after', examples('key list --workspace northwind', 'key list --attention'))
    .action(async ({ workspace, attention, json }: Options) => {
      if (attention) return printJson(await withReadingStore((store) => readAttention(store, workspace)))
      if (workspace === undefined) throw new UsageError("required option '--workspace <slug>' not specified")
      const count = await withReadingStore((store) =>
        store.read(async (tx) => printKeys(everyKey(tx, await workspaceIdOrThrow(tx, workspace), Date.now()), json)),
      )
      if (count === 0 && !json)
        printMessage(
          `${workspace} has no keys yet; create one with 'vitrine key create --workspace ${workspace} --label <label>'.`,
        )
    })

/** A slice at a time; returns how many there were. */
async function printKeys(slices: AsyncIterable<ListedKey[]>, json: true | undefined): Promise<number> {
  let count = 0
  let layout: Layout | undefined
  for await (const keys of slices) {
    if (json) printPart((count === 0 ? '[' : ',') + keys.map(asJson).join(','))
    else layout = printTable(keys, COLUMNS, layout)
    count += keys.length
    await drained()
  }
  if (json) printPart(count === 0 ? '[]\n' : ']\n')
  return count
}

const asJson = ({ attention: _, ...key }: ListedKey): string => JSON.stringify(key)

const COLUMNS: Columns<ListedKey> = {
  ID: (key) => key.id,
  LABEL: mayShrink((key) => key.label),
  KEY: (key) => `${key.prefix}…`,
  STATE: (key) => key.state,
  PERMISSIONS: (key) => key.permissions.join(','),
  LIMIT: (key) => key.quota && formatQuota(key.quota),
  'CREATED BY': mayShrink((key) => key.createdBy),
  CREATED: (key) => key.createdAt,
  EXPIRES: (key) => endOf(key),
  'LAST USED': (key) => key.lastUsedAt,
  USES: (key) => key.useCount,
}

/** How many keys need attention, in all and for each reason, and which. */
const readAttention = (store: ReadingStore, workspace: string | undefined) =>
  store.read(async (tx) => {
    const workspaces =
      workspace === undefined
        ? await listWorkspaces(tx)
        : [{ id: await workspaceIdOrThrow(tx, workspace), slug: workspace }]
    const keys: { id: string; label: string; prefix: string; workspace: string; needs: readonly AttentionKind[] }[] = []
    for (const { id: workspaceId, slug } of workspaces)
      for await (const slice of everyKey(tx, workspaceId, Date.now()))
        for (const { id, label, prefix, attention } of slice)
          if (attention.length > 0) keys.push({ id, label, prefix, workspace: slug, needs: attention })
    const counts = attentionKinds.map((kind) => [kind, keys.filter(({ needs }) => needs.includes(kind)).length])
    return { total: keys.length, ...Object.fromEntries(counts), keys }
  })
