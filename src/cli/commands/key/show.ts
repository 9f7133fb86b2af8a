import type { Transaction } from '../../../database/store.ts'
import { type ListedKey, listedKeys } from '../../../keys/evaluate.ts'
import { formatOnly } from '../../../keys/only.ts'
import { type KeyDetail, readKeyDetail } from '../../../keys/overview.ts'
import { formatQuota } from '../../../keys/quota.ts'
import { findKey, type KeyRecord } from '../../../keys/records.ts'
import { endOf } from '../../../keys/state.ts'
import { formatCount, named } from '../../../lib/format-count.ts'
import { UserError } from '../../../lib/user-error.ts'
import { findWorkspaceById, workspaceIdOrThrow } from '../../../workspaces/records.ts'
import { Command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { isJson, printFacts, printJson } from '../../terminal/output.ts'
import { type PrintedColumns, printList } from '../../terminal/table.ts'

export const list = ({ read }: Context) =>
  new Command('list', 'list the keys of a workspace, including revoked and expired ones')
    .requiredOption('--workspace <slug>', "the slug, or a deleted workspace's id")
    .examples('key list --workspace northwind')
    .withResult(async ({ workspace }: { workspace: string }) => {
      const keys = await read(async (tx) => listedKeys(tx, await workspaceIdOrThrow(tx, workspace)))
      printList(keys, `${workspace} has no keys yet; create one with 'vitrine key create'.`, COLUMNS)
    })

const COLUMNS: PrintedColumns<ListedKey> = {
  ID: (key) => key.id,
  LABEL: (key) => key.label,
  KEY: (key) => `${key.prefix}…`,
  STATE: (key) => key.state,
  CLIENT: (key) => key.client?.host ?? null,
  PERMISSIONS: (key) => key.permissions.join(','),
  LIMIT: (key) => key.quota && formatQuota(key.quota),
  NETWORKS: (key) => key.networks?.join(',') ?? null,
  ONLY: (key) => key.only && formatOnly(key.only),
  'CREATED BY': (key) => key.createdBy,
  CREATED: (key) => key.createdAt,
  EXPIRES: (key) => endOf(key),
  'LAST USED': (key) => key.lastUsedAt,
  USES: (key) => key.useCount,
}

export const show = ({ read }: Context) =>
  new Command(
    'show',
    'show a key: its state, its limits, and the key it replaces; --json adds its use in the last 30 days and its callers',
  )
    .argument('<id>', "the key's id, as 'vitrine key list' shows it")
    .examples('key show key_0123456789abcdef01')
    .withResult(async (id: string) => {
      const details = await read(async (tx) => {
        const { workspaceId } = await keyOrThrow(tx, id)
        const workspace = await findWorkspaceById(tx, workspaceId)
        const timezone = workspace?.timezone ?? 'UTC'
        const key = await readKeyDetail(tx, workspaceId, id, { nowMs: tx.nowMs, timezone })
        return key && { key, workspace: workspace?.slug ?? workspaceId, timezone }
      })
      if (details === undefined) return
      const { key, workspace, timezone } = details
      const days = key.days.map(({ day, served, refused }) => ({ day, answered: served, refused }))
      if (isJson()) return printJson({ workspace, timezone, ...key, days })
      printFacts({ ...factsOf(key), workspace })
    })

const factsOf = (key: KeyDetail): Record<string, string | null> => ({
  id: key.id,
  label: key.label,
  key: `${key.prefix}…`,
  state: stateText(key),
  needs: key.attention.length === 0 ? null : key.attention.map((kind) => kind.replaceAll('_', ' ')).join(', '),
  permissions: key.permissions.join(','),
  'rate limit': key.quota === null ? 'default' : formatQuota(key.quota),
  networks: key.networks?.join(',') ?? 'everywhere',
  only: formatOnly(key.only),
  client: key.client && `${key.client.host}, connected by signing in`,
  created: `${key.createdAt} by ${key.createdBy}`,
  expires: key.expiresAt ?? 'never',
  'last used': key.lastUsedAt,
  requests: formatCount(key.useCount),
  replaces: key.predecessor?.id ?? key.replaces,
  'replaced by':
    named(
      key.successors.map(({ id }) => id),
      key.successorCount,
    ) || null,
})

function stateText({ state }: KeyDetail): string {
  if (state.kind === 'paused') return `paused since ${state.at}`
  if (state.kind === 'revoked') return `revoked on ${state.at}`
  if (state.kind !== 'rotating') return state.kind
  const successor = state.successor.works ? state.successor.id : `${state.successor.id}, which has ended`
  return `rotating to ${successor}; works until ${state.until}${state.stillUsed ? ', and is still used' : ''}`
}

export async function keyOrThrow(tx: Transaction, id: string): Promise<KeyRecord> {
  const key = await findKey(tx, id)
  if (key === undefined)
    throw new UserError(`no key has the id ${id}; 'vitrine key list --workspace SLUG' shows the ids`)
  return key
}
