import { Command } from 'commander'
import type { KeyRecord } from '../database/store.ts'
import { existing } from '../keys/life-cycle.ts'
import { formatQuota } from '../keys/quota.ts'
import { type Context, isoNow } from './context.ts'
import { printJson, printMessage, printTable } from './output.ts'

export const command = ({ withReadingStore }: Context) =>
  new Command('list')
    .description('list the keys of a workspace, revoked and expired ones included')
    .requiredOption('--workspace <slug>', 'the workspace')
    .option('--json', 'print them as a JSON array')
    .action(async ({ workspace, json }: { workspace: string; json?: true }) => {
      const keys = await withReadingStore((store) =>
        store.read(async (tx) => tx.keys((await existing(tx, workspace)).id)),
      )
      const now = isoNow()
      if (json) return printJson(keys.map((key) => ({ ...key, state: stateOf(key, now) })))
      if (keys.length === 0)
        return printMessage(
          `${workspace} has no keys yet; create one with 'vitrine key create --workspace ${workspace} --label <label>'.`,
        )
      printTable(keys, {
        ID: (key) => key.id,
        LABEL: (key) => key.label,
        KEY: (key) => `${key.prefix}…`,
        STATE: (key) => stateOf(key, now),
        PERMISSIONS: (key) => key.permissions.join(','),
        LIMIT: (key) => key.quota && formatQuota(key.quota),
        'CREATED BY': (key) => key.createdBy,
        CREATED: (key) => key.createdAt,
        EXPIRES: (key) => key.expiresAt,
        'LAST USED': (key) => key.lastUsedAt,
        USES: (key) => key.useCount,
      })
    })

function stateOf(key: KeyRecord, now: string): 'live' | 'revoked' | 'expired' {
  if (key.revokedAt !== null) return 'revoked'
  return key.expiresAt !== null && key.expiresAt <= now ? 'expired' : 'live'
}
