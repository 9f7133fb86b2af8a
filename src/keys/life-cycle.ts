import { randomBytes } from 'node:crypto'
import { type Actor, appendAudit, nameOf } from '../audit/log.ts'
import type { OperatorStore, Quota, Transaction } from '../database/store.ts'
import { toInstant } from '../lib/instant.ts'
import { nameFault } from '../lib/plain-text.ts'
import { UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import { KeyChangeError } from './change-error.ts'
import { formatQuota, parseQuota, QUOTA_FORM } from './quota.ts'
import { findKey, insertKey, type KeyRecord, keysAfter, lockKey, updateKey } from './records.ts'
import {
  endOf,
  isOpen,
  isRotating,
  lifeOf,
  type Replacements,
  replacementsAmong,
  successorOf,
  successorsOf,
} from './state.ts'
import { createToken, displayToken, hashToken } from './token.ts'

const LABEL_MAX = 100

/** What is wrong with a label, if anything is, as in "must be …". */
export const labelFault = (label: string): string | undefined => nameFault(label, LABEL_MAX)

/** Whether a text has the form of a key's id. Nothing else is looked up or echoed. */
export const isKeyId = (text: string): boolean => /^key_[0-9a-f]{18}$/.test(text)

export interface NewKey {
  label: string
  permissions: string[]
  quota: Quota | null
  expiresAt: string | null
}

/** What a key can be changed to; a null quota is the default, a null expiry never comes. */
export type KeyUpdate = Partial<Pick<NewKey, 'label' | 'quota' | 'expiresAt'>>

interface CreatedKey {
  /** Shown once, and stored nowhere. */
  token: string
  key: KeyRecord
}

/**
 * Each change and its audit entry share a transaction, so neither exists without the other. Each locks the key before it
 * looks at it: of two replicas that change a key at once, the later judges what the earlier has left.
 */
export class Keys {
  readonly #store: Pick<OperatorStore, 'transaction'>
  readonly #actor: Actor
  readonly #clock: (() => number) | undefined

  /** Uses the time of the store unless given a clock. */
  constructor(store: Pick<OperatorStore, 'transaction'>, actor: Actor, clock?: () => number) {
    this.#store = store
    this.#actor = actor
    this.#clock = clock
  }

  create(workspaceSlug: string, wanted: NewKey): Promise<CreatedKey> {
    return this.#store.transaction(async (tx) => {
      const fault = labelFault(wanted.label)
      if (fault !== undefined) throw new UserError(`the label ${fault}`)
      const workspace = await workspaceOrThrow(tx, workspaceSlug)
      const created = await this.#insert(tx, workspace.id, wanted, null)
      await this.#audit(tx, created.key, 'key.created')
      return created
    })
  }

  /** Writes what differs, if anything does; `changed` names it. */
  update(id: string, update: KeyUpdate): Promise<{ key: KeyRecord; changed: (keyof KeyUpdate)[] }> {
    return this.#change(id, async (tx, key) => {
      const wanted = this.#checked(tx, update)
      const [before, after] = [describe(key), describe({ ...key, ...wanted })]
      const changed = (Object.keys(before) as (keyof KeyUpdate)[]).filter((field) => before[field] !== after[field])
      if (changed.length === 0) return { key, changed }
      const of = (values: Record<keyof KeyUpdate, unknown>) =>
        Object.fromEntries(changed.map((field) => [field, values[field]]))
      await updateKey(tx, id, of({ ...key, ...wanted }))
      await this.#audit(tx, key, 'key.updated', { before: of(before), after: of(after) })
      return { key: { ...key, ...wanted }, changed }
    })
  }

  /** It is refused like a revoked key, from the very next request until it is resumed. */
  pause(id: string): Promise<KeyRecord> {
    return this.#change(id, async (tx, key) => {
      if (key.pausedAt !== null)
        throw new KeyChangeError('paused', `the key ${id} is paused already, since ${key.pausedAt}`)
      return this.#set(tx, key, 'key.paused', { pausedAt: this.#now(tx) })
    })
  }

  resume(id: string): Promise<KeyRecord> {
    return this.#change(id, async (tx, key) => {
      if (key.pausedAt === null) throw new KeyChangeError('not_paused', `the key ${id} is not paused`)
      return this.#set(tx, key, 'key.resumed', { pausedAt: null })
    })
  }

  revoke(id: string): Promise<KeyRecord> {
    return this.#change(id, (tx, key) => this.#set(tx, key, 'key.revoked', { revokedAt: this.#now(tx) }))
  }

  /** Creates a successor with the same rights. The old key works for the overlap, but never longer than it would have. */
  rotate(id: string, overlapMs: number): Promise<CreatedKey & { replaced: KeyRecord }> {
    return this.#change(id, async (tx, old) => {
      await this.#checkNotRotated(tx, old)
      const end =
        overlapMs === 0
          ? { revokedAt: this.#now(tx) }
          : { retiresAt: new Date(this.#nowMs(tx) + overlapMs).toISOString() }
      await updateKey(tx, id, end)
      const replaced = { ...old, ...end }
      const created = await this.#insertSuccessor(tx, old)
      const worksUntil = replaced.revokedAt ?? endOf(replaced)
      await this.#audit(tx, old, 'key.rotated', { successor: created.key.id, worksUntil })
      await this.#audit(tx, created.key, 'key.created', { replaces: id })
      return { ...created, replaced }
    })
  }

  /** Revokes a key that nobody has seen, and creates another like it in its place. */
  replace(id: string): Promise<CreatedKey & { replaced: KeyRecord }> {
    return this.#change(id, async (tx, old) => {
      await this.#checkNotRotated(tx, old)
      const revokedAt = this.#now(tx)
      await updateKey(tx, id, { revokedAt })
      // It is the same key to whoever asked for it, so it expires on the day that was chosen.
      const created = await this.#insert(tx, old.workspaceId, old, id)
      await this.#audit(tx, old, 'key.revoked', { successor: created.key.id })
      await this.#audit(tx, created.key, 'key.created', { replaces: id })
      return { ...created, replaced: { ...old, revokedAt } }
    })
  }

  /** The old key goes on as before, and the keys that were to replace it are revoked. */
  cancelRotation(id: string): Promise<{ key: KeyRecord; revoked: KeyRecord[] }> {
    return this.#change(id, async (tx, key) => {
      if (!isRotating(key, await this.#replacements(tx, key), this.#nowMs(tx)))
        throw new KeyChangeError('not_rotating', `the key ${id} is not being rotated`)
      const revoked = await this.#revokeSuccessors(tx, key)
      await updateKey(tx, id, { retiresAt: null })
      await this.#audit(tx, key, 'key.rotation_cancelled', { revoked: revoked.map((each) => each.id) })
      for (const successor of revoked) await this.#audit(tx, successor, 'key.revoked', { replaces: successor.replaces })
      return { key: { ...key, retiresAt: null }, revoked }
    })
  }

  async #revokeSuccessors(tx: Transaction, key: KeyRecord): Promise<KeyRecord[]> {
    const revokedAt = this.#now(tx)
    const revoked: KeyRecord[] = []
    const locked = new Set<string>()
    for (;;) {
      const successors = successorsOf(key, await this.#replacements(tx, key))
      const next = successors.find(({ id }) => !locked.has(id))
      if (next === undefined) return revoked
      // Whoever held it may have rotated it: so the list is read again after each.
      await lockKey(tx, next.id)
      locked.add(next.id)
      const successor = await findKey(tx, next.id)
      if (successor === undefined || !isOpen(successor, this.#nowMs(tx))) continue
      await updateKey(tx, next.id, { revokedAt })
      revoked.push({ ...successor, revokedAt })
    }
  }

  /** All that came of it: one that is overlooked would go on working. */
  async #replacements(tx: Transaction, { workspaceId, id }: KeyRecord): Promise<Replacements> {
    return replacementsAmong(await keysAfter(tx, workspaceId, [id], { most: Number.MAX_SAFE_INTEGER }))
  }

  /** Changes a key that has not ended. */
  #change<T>(id: string, work: (tx: Transaction, key: KeyRecord) => Promise<T>): Promise<T> {
    return this.#store.transaction(async (tx) => {
      await lockKey(tx, id)
      const found = await findKey(tx, id)
      if (found === undefined)
        throw new KeyChangeError('unknown', `no key has the id ${id}; 'vitrine key list' shows the ids`)
      const { lastUsedAt: _, ...key } = found
      const life = lifeOf(key, this.#nowMs(tx))
      if (life === 'revoked')
        throw new KeyChangeError('ended', `the key ${id} was revoked already, on ${key.revokedAt}`)
      if (life === 'expired') throw new KeyChangeError('ended', `the key ${id} has expired already, on ${endOf(key)}`)
      return work(tx, key)
    })
  }

  async #set(
    tx: Transaction,
    key: KeyRecord,
    action: string,
    to: Partial<Pick<KeyRecord, 'pausedAt' | 'revokedAt'>>,
  ): Promise<KeyRecord> {
    await updateKey(tx, key.id, to)
    await this.#audit(tx, key, action)
    return { ...key, ...to }
  }

  #checked(tx: Transaction, update: KeyUpdate): KeyUpdate {
    const { label, quota, expiresAt } = update
    const fault = label === undefined ? undefined : labelFault(label)
    if (fault !== undefined) throw new KeyChangeError('invalid', `the label ${fault}`)
    if (quota && parseQuota(formatQuota(quota)) === undefined)
      throw new KeyChangeError('invalid', `the rate limit ${QUOTA_FORM}`)
    if (typeof expiresAt !== 'string') return update
    const instant = toInstant(expiresAt)
    if (instant === undefined || Date.parse(instant) <= this.#nowMs(tx))
      throw new KeyChangeError('invalid', 'the expiry must be a time in the future; to end a key now, revoke it')
    return { ...update, expiresAt: instant }
  }

  /** If its successor has ended, it can be rotated again. */
  async #checkNotRotated(tx: Transaction, key: KeyRecord): Promise<void> {
    const successor = successorOf(key, await this.#replacements(tx, key), this.#nowMs(tx))
    if (successor !== undefined && isOpen(successor, this.#nowMs(tx)))
      throw new KeyChangeError(
        'rotated',
        `the key ${key.id} was rotated already; rotate its successor ${successor.id}, or go back with 'vitrine key cancel-rotation ${key.id}'`,
      )
  }

  /** The successor of a key for ninety days is a key for ninety days. */
  #insertSuccessor(tx: Transaction, old: KeyRecord): Promise<CreatedKey> {
    const lifetimeMs = old.expiresAt === null ? null : Date.parse(old.expiresAt) - Date.parse(old.createdAt)
    const expiresAt = lifetimeMs === null ? null : new Date(this.#nowMs(tx) + lifetimeMs).toISOString()
    return this.#insert(tx, old.workspaceId, { ...old, expiresAt }, old.id)
  }

  async #insert(tx: Transaction, workspaceId: string, wanted: NewKey, replaces: string | null): Promise<CreatedKey> {
    const token = createToken()
    const key: KeyRecord = {
      id: `key_${randomBytes(9).toString('hex')}`,
      workspaceId,
      prefix: displayToken(token),
      label: wanted.label,
      permissions: wanted.permissions,
      quota: wanted.quota,
      createdBy: nameOf(this.#actor),
      createdAt: this.#now(tx),
      expiresAt: wanted.expiresAt,
      retiresAt: null,
      pausedAt: null,
      revokedAt: null,
      replaces,
    }
    await insertKey(tx, key, hashToken(token))
    return { token, key }
  }

  #audit(tx: Transaction, key: KeyRecord, action: string, detail: Record<string, unknown> = {}): Promise<void> {
    const entry = { at: this.#now(tx), workspaceId: key.workspaceId, actor: this.#actor, action, subject: key.id }
    return appendAudit(tx, { ...entry, detail: { label: key.label, ...detail } })
  }

  #now(tx: Transaction): string {
    return new Date(this.#nowMs(tx)).toISOString()
  }

  #nowMs(tx: Transaction): number {
    return this.#clock?.() ?? tx.nowMs
  }
}

/** What an update can change, as the audit log says it. */
const describe = ({ label, quota, expiresAt }: KeyRecord): Record<keyof KeyUpdate, string | null> => ({
  label,
  quota: quota && formatQuota(quota),
  expiresAt,
})
