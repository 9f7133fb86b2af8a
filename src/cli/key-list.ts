import { Command } from 'commander'
import { useCounts } from '../keys/history.ts'
import { formatQuota } from '../keys/quota.ts'
import { listKeys } from '../keys/records.ts'
import { endOf, replacementsAmong, stateOf } from '../keys/state.ts'
import { workspaceIdOrThrow } from '../resources/workspace/records.ts'
import type { Context } from './context.ts'
import { printJson, printMessage, printTable } from './output.ts'

export const command = ({ withReadingStore }: Context) =>
  new Command('list')
    .description('list the keys of a workspace, revoked and expired ones included')
    .requiredOption('--workspace <slug>', 'the workspace; the id of one that was deleted')
    .option('--json', 'print them as a JSON array')
    .action(async ({ workspace, json }: { workspace: string; json?: true }) => {
      const nowMs = Date.now()
      const keys = await withReadingStore((store) =>
        store.read(async (tx) => {
          const workspaceId = await workspaceIdOrThrow(tx, workspace)
          const listed = await listKeys(tx, workspaceId)
          const uses = await useCounts(tx, { workspaceId })
          const replacements = replacementsAmong(listed)
          return listed.map((key) => ({
            ...key,
            useCount: uses.get(key.id) ?? 0,
            state: stateOf(key, replacements, nowMs).kind,
          }))
        }),
      )
      if (json) return printJson(keys)
      if (keys.length === 0)
        return printMessage(
          `${workspace} has no keys yet; create one with 'vitrine key create --workspace ${workspace} --label <label>'.`,
        )
      printTable(keys, {
        ID: (key) => key.id,
        LABEL: (key) => key.label,
        KEY: (key) => `${key.prefix}…`,
        STATE: (key) => key.state,
        PERMISSIONS: (key) => key.permissions.join(','),
        LIMIT: (key) => key.quota && formatQuota(key.quota),
        'CREATED BY': (key) => key.createdBy,
        CREATED: (key) => key.createdAt,
        EXPIRES: (key) => endOf(key),
        'LAST USED': (key) => key.lastUsedAt,
        USES: (key) => key.useCount,
      })
    })
