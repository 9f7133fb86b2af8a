import { Command } from 'commander'
import type { Transaction } from '../database/store.ts'
import { type KeyDetail, readKeyDetail } from '../keys/detail.ts'
import { formatQuota } from '../keys/quota.ts'
import { findKey, type KeyRecord } from '../keys/records.ts'
import { formatCount } from '../lib/format-count.ts'
import { UserError } from '../lib/user-error.ts'
import { findWorkspaceById } from '../resources/workspace/records.ts'
import type { Context } from './context.ts'
import { print, printFacts, printJson } from './output.ts'
import { mayShrink, printTable } from './table.ts'
import { examples } from './usage.ts'

export const command = ({ withReadingStore }: Context) =>
  new Command('show')
    .description('show a key: its state, its use in the last 30 days, who calls, and what it replaces')
    .argument('<id>', "the key's id, as 'vitrine key list' shows it")
    .option('--json', 'print it as JSON')
    .addHelpText('after', examples('key show key_0123456789abcdef01'))
    .action(async (id: string, { json }: { json?: true }) => {
      const shown = await withReadingStore((store) =>
        store.read(async (tx) => {
          const { workspaceId } = await keyOrThrow(tx, id)
          const workspace = await findWorkspaceById(tx, workspaceId)
          const timezone = workspace?.timezone ?? null
          const key = await readKeyDetail(tx, workspaceId, id, { nowMs: Date.now(), timezone })
          return key && { key, workspace: workspace?.slug ?? workspaceId, timezone: timezone ?? 'UTC' }
        }),
      )
      if (shown === undefined) return
      const { key, workspace, timezone } = shown
      if (json) return printJson({ workspace, timezone, ...key })
      printFacts({ ...factsOf(key), workspace })
      const used = key.days.filter(({ answered, refused }) => answered > 0 || Object.keys(refused).length > 0)
      print('')
      if (used.length === 0) print(`Not used in the last ${key.days.length} days.`)
      else
        printTable(used, {
          [`DAY (${timezone})`]: ({ day }) => day,
          ANSWERED: ({ answered }) => answered,
          REFUSED: mayShrink(({ refused }) => countsText(refused)),
        })
      if (key.callers.length === 0) return
      print('')
      printTable(key.callers, {
        CALLER: mayShrink(({ agent }) => agent),
        ADDRESS: ({ address }) => address,
        REQUESTS: ({ count }) => count,
        'FIRST SEEN': ({ firstAt }) => firstAt,
        'LAST SEEN': ({ lastAt }) => lastAt,
      })
    })

const factsOf = (key: KeyDetail): Record<string, string | null> => ({
  id: key.id,
  label: key.label,
  key: `${key.prefix}…`,
  state: stateText(key),
  needs: key.attention.length === 0 ? null : key.attention.map((kind) => kind.replaceAll('_', ' ')).join(', '),
  permissions: key.permissions.join(','),
  'rate limit': key.quota === null ? 'default' : formatQuota(key.quota),
  created: `${key.createdAt} by ${key.createdBy}`,
  expires: key.expiresAt ?? 'never',
  'last used': key.lastUsedAt,
  requests: formatCount(key.useCount),
  replaces: key.predecessor?.id ?? key.replaces,
  'replaced by': key.successors.map(({ id }) => id).join(', ') || null,
})

function stateText({ state }: KeyDetail): string {
  if (state.kind === 'paused') return `paused since ${state.at}`
  if (state.kind === 'revoked') return `revoked on ${state.at}`
  if (state.kind !== 'rotating') return state.kind
  const successor = state.successor.works ? state.successor.id : `${state.successor.id}, which has ended`
  return `rotating to ${successor}; works until ${state.until}${state.stillUsed ? ', and is still used' : ''}`
}

const countsText = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([kind, count]) => `${count} ${kind.replaceAll('_', ' ')}`)
    .join(', ') || '0'

/** A key of any workspace. */
export async function keyOrThrow(tx: Transaction, id: string): Promise<KeyRecord> {
  const key = await findKey(tx, id)
  if (key === undefined) throw new UserError(`no key has the id ${id}; 'vitrine key list' shows the ids`)
  return key
}
