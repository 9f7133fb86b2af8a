import { randomBytes } from 'node:crypto'
import { appendAudit } from '../audit/log.ts'
import type { OperatorStore, Quota, Transaction } from '../database/store.ts'
import { nameFault } from '../lib/plain-text.ts'
import { UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import { expireKey, findKey, insertKey, type KeyRecord, listKeys, revokeKey } from './records.ts'
import { lifeOf } from './state.ts'
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

export interface CreatedKey {
  /** Shown once, and stored nowhere. */
  token: string
  key: KeyRecord
}

/** Each change and its audit entry share a transaction, so neither exists without the other. */
export class Keys {
  readonly #store: Pick<OperatorStore, 'transaction'>
  readonly #actor: string
  readonly #clock: (() => number) | undefined

  /** Uses the time of the store unless given a clock. */
  constructor(store: Pick<OperatorStore, 'transaction'>, actor: string, clock?: () => number) {
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

  revoke(id: string): Promise<KeyRecord> {
    return this.#store.transaction(async (tx) => {
      const key = await this.#live(tx, id)
      const revokedAt = await this.#end(tx, id)
      await this.#audit(tx, key, 'key.revoked')
      return { ...key, revokedAt }
    })
  }

  /** Creates a successor with the same rights. The old key works for the overlap, but never longer than it would have. */
  rotate(id: string, overlapMs: number): Promise<CreatedKey & { replaced: KeyRecord }> {
    return this.#store.transaction(async (tx) => {
      const old = await this.#live(tx, id)
      // Before looking for a successor: another replica that rotates the same key at the same time waits here.
      const replaced = await this.#retire(tx, old, overlapMs)
      const successor = (await listKeys(tx, old.workspaceId)).find(({ replaces }) => replaces === id)
      if (successor !== undefined)
        throw new UserError(`the key ${id} was rotated already; rotate its successor ${successor.id}`)
      const created = await this.#insert(
        tx,
        old.workspaceId,
        { ...old, expiresAt: this.#successorExpiry(tx, old) },
        old.id,
      )
      await this.#audit(tx, old, 'key.rotated', { successor: created.key.id, worksUntil: replaced.expiresAt })
      await this.#audit(tx, created.key, 'key.created', { replaces: old.id })
      return { ...created, replaced }
    })
  }

  async #retire(tx: Transaction, old: KeyRecord, overlapMs: number): Promise<KeyRecord> {
    if (overlapMs === 0) {
      const revokedAt = await this.#end(tx, old.id)
      return { ...old, revokedAt, expiresAt: revokedAt }
    }
    const overlapEnd = new Date(this.#nowMs(tx) + overlapMs).toISOString()
    const expiresAt = old.expiresAt !== null && old.expiresAt < overlapEnd ? old.expiresAt : overlapEnd
    await expireKey(tx, old.id, expiresAt)
    return { ...old, expiresAt }
  }

  /** If two replicas revoke a key at the same time, the second gets an error. */
  async #end(tx: Transaction, id: string): Promise<string> {
    const revokedAt = this.#now(tx)
    if (!(await revokeKey(tx, id, revokedAt))) throw new UserError(`the key ${id} was revoked already, a moment ago`)
    return revokedAt
  }

  /** The successor of a key for ninety days is a key for ninety days. */
  #successorExpiry(tx: Transaction, old: KeyRecord): string | null {
    if (old.expiresAt === null) return null
    const lifetimeMs = Date.parse(old.expiresAt) - Date.parse(old.createdAt)
    return new Date(this.#nowMs(tx) + lifetimeMs).toISOString()
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
      createdBy: this.#actor,
      createdAt: this.#now(tx),
      expiresAt: wanted.expiresAt,
      revokedAt: null,
      replaces,
    }
    await insertKey(tx, key, hashToken(token))
    return { token, key }
  }

  async #live(tx: Transaction, id: string): Promise<KeyRecord> {
    const key = await findKey(tx, id)
    if (key === undefined) throw new UserError(`no key has the id ${id}; 'vitrine key list' shows the ids`)
    const life = lifeOf(key, this.#nowMs(tx))
    if (life === 'revoked') throw new UserError(`the key ${id} was revoked already, on ${key.revokedAt}`)
    if (life === 'expired') throw new UserError(`the key ${id} has expired already, on ${key.expiresAt}`)
    return key
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
