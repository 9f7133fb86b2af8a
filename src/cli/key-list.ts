import { Command } from 'commander'
import type { ReadingStore } from '../database/store.ts'
import { type AttentionKind, attentionKinds, listAttention } from '../keys/attention.ts'
import { useCounts } from '../keys/history.ts'
import { formatQuota } from '../keys/quota.ts'
import { listKeys } from '../keys/records.ts'
import { endOf, replacementsAmong, stateOf } from '../keys/state.ts'
import { listWorkspaces, workspaceIdOrThrow } from '../resources/workspace/records.ts'
import type { Context } from './context.ts'
import { UsageError } from './errors.ts'
import { printJson, printMessage } from './output.ts'
import { mayShrink, printTable } from './print-table.ts'

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
    .addHelpText('after', '\nExamples:\n  vitrine key list --workspace northwind\n  vitrine key list --attention')
    .action(async ({ workspace, attention, json }: Options) => {
      if (attention) return printJson(await withReadingStore((store) => readAttention(store, workspace)))
      if (workspace === undefined) throw new UsageError("required option '--workspace <slug>' not specified")
      const keys = await withReadingStore((store) => readKeys(store, workspace))
      if (json) return printJson(keys)
      if (keys.length === 0)
        return printMessage(
          `${workspace} has no keys yet; create one with 'vitrine key create --workspace ${workspace} --label <label>'.`,
        )
      printTable(keys, {
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
      })
    })

const readKeys = (store: ReadingStore, workspace: string) =>
  store.read(async (tx) => {
    const workspaceId = await workspaceIdOrThrow(tx, workspace)
    const keys = await listKeys(tx, workspaceId)
    const uses = await useCounts(tx, { workspaceId })
    const replacements = replacementsAmong(keys)
    const nowMs = Date.now()
    return keys.map((key) => ({
      ...key,
      useCount: uses.get(key.id) ?? 0,
      state: stateOf(key, replacements, nowMs).kind,
    }))
  })

/** How many keys need attention, in all and for each reason, and which. */
const readAttention = (store: ReadingStore, workspace: string | undefined) =>
  store.read(async (tx) => {
    const workspaces =
      workspace === undefined
        ? await listWorkspaces(tx)
        : [{ id: await workspaceIdOrThrow(tx, workspace), slug: workspace }]
    const keys: { id: string; label: string; prefix: string; workspace: string; needs: AttentionKind[] }[] = []
    for (const { id: workspaceId, slug } of workspaces)
      for (const { key, needs } of await listAttention(tx, workspaceId, Date.now()))
        keys.push({ id: key.id, label: key.label, prefix: key.prefix, workspace: slug, needs })
    const counts = attentionKinds.map((kind) => [kind, keys.filter(({ needs }) => needs.includes(kind)).length])
    return { total: keys.length, ...Object.fromEntries(counts), keys }
  })
