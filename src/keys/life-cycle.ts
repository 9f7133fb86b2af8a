import { randomBytes } from 'node:crypto'
import { type Actor, appendAudit, nameOf } from '../audit/log.ts'
import type { Transaction } from '../database/store.ts'
import { formatCount } from '../lib/format-count.ts'
import { isoOf, LAST_MS, toInstant } from '../lib/instant.ts'
import { createToken, displayToken, hashToken } from '../lib/key-format.ts'
import { nameError } from '../lib/plain-text.ts'
import type { Quota } from '../lib/rate-windows.ts'
import { UserError } from '../lib/user-error.ts'
import type { OnlyRows } from '../lists/only.ts'
import { workspaceOrThrow } from '../workspaces/records.ts'
import { NETWORKS_SYNTAX, parseNetworks } from './networks.ts'
import { formatOnly } from './only.ts'
import { formatQuota, parseQuota, QUOTA_SYNTAX } from './quota.ts'
import {
  countOpenKeys,
  findKey,
  insertKey,
  type KeyClient,
  type KeyRecord,
  keysAfter,
  lockKey,
  MAX_OPEN_KEYS,
  updateKey,
} from './records.ts'
import { endOf, isOpen, lifeOf, type Replacements, replacementsAmong, successorOf, successorsOf } from './state.ts'

export const LABEL_MAX = 100

export const labelError = (label: string): string | undefined => nameError(label, LABEL_MAX)

/** Text in any other form is neither looked up nor echoed. */
export const isKeyId = (text: string): boolean => /^key_[0-9a-f]{18}$/.test(text)

export interface NewKey {
  label: string
  permissions: string[]
  quota: Quota | null
  expiresAt: string | null
  networks?: string[] | null
  /** As checkOnly returns it. */
  only?: OnlyRows | null
}

/** A null quota means the default, a null expiry means never, no networks mean everywhere, and no limit means all rows. */
export type KeyUpdate = Partial<NewKey>

interface CreatedKey {
  token: string
  key: KeyRecord
}

export type KeyChangeReason =
  | 'unknown'
  | 'ended'
  | 'rotated'
  | 'connected'
  | 'paused'
  | 'not_paused'
  | 'not_rotating'
  | 'full'
  | 'invalid'

export class KeyChangeError extends UserError {
  override name = 'KeyChangeError'
  readonly reason: KeyChangeReason

  constructor(reason: KeyChangeReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** Each change locks the key before reading it, and shares a transaction with its audit entry. */
export class Keys {
  readonly #tx: Transaction
  readonly #actor: Actor
  readonly #nowMs: number
  readonly #now: string

  constructor(tx: Transaction, actor: Actor, nowMs = tx.nowMs) {
    this.#tx = tx
    this.#actor = actor
    this.#nowMs = nowMs
    this.#now = isoOf(nowMs)
  }

  /** With a client, the key is a connection: its own token is never shown, and `src/connections` issues others. */
  async create(workspaceSlug: string, newKey: NewKey, client: KeyClient | null = null): Promise<CreatedKey> {
    const checked = checkKey(newKey)
    checkReadable(checked)
    const workspace = await workspaceOrThrow(this.#tx, workspaceSlug)
    const created = await this.#insert(workspace.id, checked, null, client)
    const only = newKey.only ? { only: formatOnly(newKey.only) } : {}
    if (client === null) await this.#audit(created.key, 'key.created', only)
    else await this.#audit(created.key, 'key.connected', { client: client.host, ...only })
    return created
  }

  /** Writes only the fields that differ, and lists them in `changed`. */
  async update(id: string, update: KeyUpdate): Promise<{ key: KeyRecord; changed: (keyof KeyUpdate)[] }> {
    const key = await this.lockOpen(id)
    const updated = { ...key, ...this.#withFutureExpiry(checkKey(update)) }
    const changed = differingFields(key, updated)
    if (changed.length === 0) return { key, changed }
    checkReadable(updated)
    const pickChanged = (values: Record<keyof KeyUpdate, unknown>) =>
      Object.fromEntries(changed.map((field) => [field, values[field]]))
    await updateKey(this.#tx, id, pickChanged(updated))
    const [before, after] = [key, updated].map((each) => pickChanged(describe(each)))
    await this.#audit(key, 'key.updated', { before, after })
    return { key: updated, changed }
  }

  async pause(id: string): Promise<KeyRecord> {
    const key = await this.lockOpen(id)
    if (key.pausedAt !== null) throw new KeyChangeError('paused', `the key ${id} has been paused since ${key.pausedAt}`)
    return this.#set(key, 'key.paused', { pausedAt: this.#now })
  }

  async resume(id: string): Promise<KeyRecord> {
    const key = await this.lockOpen(id)
    if (key.pausedAt === null) throw new KeyChangeError('not_paused', `the key ${id} is not paused`)
    return this.#set(key, 'key.resumed', { pausedAt: null })
  }

  /** A reason is given if no person decided it. */
  async revoke(id: string, reason?: string): Promise<KeyRecord> {
    const detail = reason === undefined ? {} : { reason }
    return this.#set(await this.lockOpen(id), 'key.revoked', { revokedAt: this.#now }, detail)
  }

  /** Creates a successor with the same permissions. The overlap never extends the old key's lifetime. */
  async rotate(id: string, overlapMs: number): Promise<CreatedKey & { replaced: KeyRecord }> {
    const old = await this.#lockReplaceable(id)
    const end = overlapMs === 0 ? { revokedAt: this.#now } : { retiresAt: isoOf(this.#nowMs + overlapMs) }
    await updateKey(this.#tx, id, end)
    const replaced = { ...old, ...end }
    // The successor gets the same lifetime as the old key.
    const lifetimeMs = old.expiresAt === null ? null : Date.parse(old.expiresAt) - Date.parse(old.createdAt)
    const expiresAt = lifetimeMs === null ? null : isoOf(Math.min(this.#nowMs + lifetimeMs, LAST_MS))
    const created = await this.#insert(old.workspaceId, { ...old, expiresAt }, id)
    const worksUntil = replaced.revokedAt ?? endOf(replaced)
    await this.#audit(old, 'key.rotated', { successor: created.key.id, worksUntil })
    await this.#audit(created.key, 'key.created', { replaces: id })
    return { ...created, replaced }
  }

  /** Revokes the successors. The old key continues as before. */
  async cancelRotation(id: string): Promise<{ key: KeyRecord; revoked: KeyRecord[] }> {
    const key = await this.lockOpen(id)
    if (key.retiresAt === null) throw new KeyChangeError('not_rotating', `the key ${id} is not being rotated`)
    const revoked = await this.#revokeSuccessors(key)
    await updateKey(this.#tx, id, { retiresAt: null })
    await this.#audit(key, 'key.rotation_cancelled', { revoked: revoked.map((each) => each.id) })
    for (const successor of revoked) await this.#audit(successor, 'key.revoked', { replaces: successor.replaces })
    return { key: { ...key, retiresAt: null }, revoked }
  }

  async #revokeSuccessors(key: KeyRecord): Promise<KeyRecord[]> {
    const end = { revokedAt: this.#now }
    const revoked: KeyRecord[] = []
    for (;;) {
      const open = successorsOf(key, await this.#replacements(key)).find((each) => isOpen(each, this.#nowMs))
      if (open === undefined) return revoked
      // Another transaction may have ended or rotated it in the meantime, so the list is read again after each lock.
      await lockKey(this.#tx, open.id)
      const successor = await findKey(this.#tx, open.id)
      if (successor === undefined || !isOpen(successor, this.#nowMs)) continue
      await updateKey(this.#tx, open.id, end)
      revoked.push({ ...successor, ...end })
    }
  }

  async #replacements({ id }: KeyRecord): Promise<Replacements> {
    return replacementsAmong(await keysAfter(this.#tx, [id]))
  }

  /** Makes concurrent changes to the key wait. Throws if it has ended. */
  async lockOpen(id: string): Promise<KeyRecord> {
    await lockKey(this.#tx, id)
    const key = await findKey(this.#tx, id)
    if (key === undefined)
      throw new KeyChangeError('unknown', `no key has the id ${id}; 'vitrine key list --workspace SLUG' shows the ids`)
    const life = lifeOf(key, this.#nowMs)
    if (life === 'revoked') throw new KeyChangeError('ended', `the key ${id} was already revoked on ${key.revokedAt}`)
    if (life === 'expired') throw new KeyChangeError('ended', `the key ${id} already expired on ${endOf(key)}`)
    return key
  }

  async #set(
    key: KeyRecord,
    action: string,
    to: Partial<Pick<KeyRecord, 'pausedAt' | 'revokedAt'>>,
    detail: Record<string, unknown> = {},
  ): Promise<KeyRecord> {
    await updateKey(this.#tx, key.id, to)
    await this.#audit(key, action, detail)
    return { ...key, ...to }
  }

  #withFutureExpiry(update: KeyUpdate): KeyUpdate {
    if (typeof update.expiresAt !== 'string') return update
    const expiresAt = toInstant(update.expiresAt)
    if (expiresAt === undefined || Date.parse(expiresAt) <= this.#nowMs)
      throw new KeyChangeError('invalid', 'the expiry must be a time in the future; to end a key now, revoke it')
    return { ...update, expiresAt }
  }

  /** A key whose successor has ended can be rotated again. */
  async #lockReplaceable(id: string): Promise<KeyRecord> {
    const key = await this.lockOpen(id)
    if (key.client !== null)
      throw new KeyChangeError(
        'connected',
        `the key ${id} is a connection: ${key.client.host} renews its tokens by itself; to end it, use 'vitrine key revoke ${id}'`,
      )
    const successor = successorOf(key, await this.#replacements(key), this.#nowMs)
    if (successor !== undefined && isOpen(successor, this.#nowMs))
      throw new KeyChangeError(
        'rotated',
        `the key ${key.id} has already been rotated; rotate its successor ${successor.id}, or undo it with 'vitrine key cancel-rotation ${key.id}'`,
      )
    return key
  }

  async #insert(workspaceId: string, newKey: NewKey, replaces: string | null, client: KeyClient | null = null) {
    await checkMayAddKey(this.#tx, workspaceId, this.#nowMs)
    const { label, permissions, quota, expiresAt, networks = null, only = null } = newKey
    const token = createToken()
    const key: KeyRecord = {
      id: `key_${randomBytes(9).toString('hex')}`,
      prefix: displayToken(token),
      createdBy: nameOf(this.#actor),
      createdAt: this.#now,
      ...{ workspaceId, label, permissions, quota, networks, only, expiresAt, replaces, client },
      ...{ retiresAt: null, pausedAt: null, revokedAt: null, lastUsedAt: null, lastRefusal: null, leak: null },
    }
    await insertKey(this.#tx, key, hashToken(token))
    return { token, key }
  }

  #audit({ id, workspaceId, label }: KeyRecord, action: string, detail: Record<string, unknown> = {}): Promise<void> {
    const entry = { at: this.#now, workspaceId, actor: this.#actor, action, subject: id }
    return appendAudit(this.#tx, { ...entry, detail: { label, ...detail } })
  }
}

/** Creations at the same moment may exceed the bound by a few, which does no harm. */
export async function checkMayAddKey(tx: Transaction, workspaceId: string, nowMs = tx.nowMs): Promise<void> {
  if ((await countOpenKeys(tx, workspaceId, nowMs)) < MAX_OPEN_KEYS) return
  throw new KeyChangeError(
    'full',
    `the workspace has ${formatCount(MAX_OPEN_KEYS)} keys that have not ended, and cannot have more; revoke keys that are no longer needed`,
  )
}

export function differingFields(key: KeyRecord, update: KeyUpdate): (keyof KeyUpdate)[] {
  const [before, after] = [describe(key), describe({ ...key, ...update })]
  return (Object.keys(before) as (keyof KeyUpdate)[]).filter((field) => before[field] !== after[field])
}

/** The texts that the audit log shows. */
const describe = (key: KeyRecord): Record<keyof KeyUpdate, string | null> => ({
  label: key.label,
  permissions: key.permissions.join(', '),
  quota: key.quota && formatQuota(key.quota),
  networks: key.networks?.join(', ') ?? 'everywhere',
  only: formatOnly(key.only),
  expiresAt: key.expiresAt,
})

/** A limit of a list that the key cannot read is a mistake, perhaps in the other of the two. */
export function unreadLimit({ permissions, only }: Pick<NewKey, 'permissions' | 'only'>): string | undefined {
  const list = Object.keys(only ?? {}).find((name) => !permissions.includes(`${name}:read`))
  return (
    list &&
    `the key is limited to some ${list}, which it may not read; add the permission ${list}:read, or leave ${list} out of the limit`
  )
}

function checkReadable(key: Pick<NewKey, 'permissions' | 'only'>): void {
  const problem = unreadLimit(key)
  if (problem !== undefined) throw new KeyChangeError('invalid', problem)
}

/** Normalises the networks. Only `update` checks the expiry: a connection whose code is redeemed late is created expired. */
function checkKey<K extends KeyUpdate>(key: K): K {
  const { label, permissions, quota, networks } = key
  const invalid = (problem: string) => new KeyChangeError('invalid', problem)
  const error = label === undefined ? undefined : labelError(label)
  if (error !== undefined) throw invalid(`the label ${error}`)
  if (quota && parseQuota(formatQuota(quota)) === undefined) throw invalid(`the rate limit ${QUOTA_SYNTAX}`)
  if (permissions?.length === 0) throw invalid('a key needs at least one permission')
  if (networks === undefined) return key
  const normal = parseNetworks(networks?.join(',') ?? '')
  if (normal === undefined) throw invalid(`the networks ${NETWORKS_SYNTAX}`)
  return { ...key, networks: normal }
}
