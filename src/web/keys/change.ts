import type { Transaction } from '../../database/store.ts'
import { KeyChangeError } from '../../keys/change-error.ts'
import { type KeyDetail, readKeyDetail } from '../../keys/detail.ts'
import { Keys } from '../../keys/life-cycle.ts'
import { findKey, type KeyRecord, type KeyUse } from '../../keys/records.ts'
import { hasEnded } from '../../keys/state.ts'
import { actorOf } from '../../members/author.ts'
import { currentMembership } from '../../members/sessions.ts'
import { requireManager, type WorkspaceContext, within } from '../context.ts'
import { once } from '../once.ts'
import { pageNotFound } from '../responses.ts'

/**
 * Changes a key in a transaction that first checks that the person may still do this: they may have been removed, or signed
 * out elsewhere, since their request began.
 */
export function changeKey<T>(
  context: WorkspaceContext,
  change: (keys: Keys, tx: Transaction) => Promise<T>,
): Promise<T> {
  const { store, session, workspace, keyId } = context
  return store.transaction(async (tx) => {
    requireManager(await currentMembership(tx, session, workspace.workspaceId))
    if (keyId !== '') await keyAt(context, tx)
    return change(keysIn(context, tx), tx)
  })
}

/**
 * Creates a key at most once for each form. If the form was sent before, gives the key that it created, which can no longer
 * be shown.
 */
export const createOnce = <Created extends { key: KeyRecord }>(
  context: WorkspaceContext,
  token: string,
  create: (keys: Keys, tx: Transaction) => Promise<Created>,
): Promise<Created | { alreadyCreated: KeyRecord }> =>
  once(context, token, {
    transaction: (work) => changeKey(context, (keys, tx) => work(tx, keys)),
    async first(tx, keys: Keys) {
      const result = await create(keys, tx)
      return { result, remember: { keyId: result.key.id } }
    },
    async again(tx, { keyId = '' }) {
      const key = await findKey(tx, keyId)
      // Sent for another workspace: what it did there is not shown here.
      return key?.workspaceId === context.workspace.workspaceId ? { alreadyCreated: key } : undefined
    },
  })

const keysIn = ({ session, clock }: WorkspaceContext, tx: Transaction) => new Keys(within(tx), actorOf(session), clock)

/** The key that the path names, as it is stored. */
export async function keyAt({ workspace, keyId }: WorkspaceContext, tx: Transaction): Promise<KeyRecord & KeyUse> {
  const key = await findKey(tx, keyId)
  if (key?.workspaceId !== workspace.workspaceId) throw pageNotFound()
  return key
}

/** The same with all there is to know of it, also those that it replaces and that replace it. */
export async function readKey({ store, workspace, keyId, nowMs, chrome }: WorkspaceContext): Promise<KeyDetail> {
  const clock = { nowMs, timezone: chrome.timezone }
  const key = await store.read((tx) => readKeyDetail(tx, workspace.workspaceId, keyId, clock))
  if (key === undefined) throw pageNotFound()
  return key
}

/** For a page that offers to change it. */
export async function readWorkingKey(context: WorkspaceContext): Promise<KeyDetail> {
  const key = await readKey(context)
  if (hasEnded(key)) throw new KeyChangeError('ended', `the key ${key.id} has ended`)
  return key
}
