import type { Transaction } from '../../database/store.ts'
import { KeyChangeError } from '../../keys/change-error.ts'
import { type KeyDetail, readKeyDetail } from '../../keys/detail.ts'
import { Keys } from '../../keys/life-cycle.ts'
import { findKey, type KeyRecord, type KeyUse } from '../../keys/records.ts'
import { hasEnded } from '../../keys/state.ts'
import { actorOf } from '../../members/author.ts'
import { currentMembership } from '../../members/sessions.ts'
import type { HttpResponse } from '../../operation.ts'
import { nowOf, requireRole, type WorkspaceContext } from '../context.ts'
import { findTicketOf, incompleteForm, rememberTicket } from '../once.ts'
import { paths } from '../paths.ts'
import { pageNotFound, redirect } from '../responses.ts'

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
    requireRole(await currentMembership(tx, session, workspace.workspaceId), 'manager')
    if (keyId !== '') await keyAt(context, tx)
    return change(new Keys(tx, actorOf(session), nowOf(context, tx)), tx)
  })
}

/** Changes a key and shows it. Sent twice, or from two tabs, it is done once, and both responses confirm it. */
export async function changeAndShow(
  context: WorkspaceContext,
  done: 'paused' | 'resumed' | 'rotation-cancelled',
  change: (keys: Keys) => Promise<unknown>,
): Promise<HttpResponse> {
  try {
    await changeKey(context, change)
  } catch (error) {
    const isDone = error instanceof KeyChangeError && ['paused', 'not_paused', 'not_rotating'].includes(error.reason)
    if (!isDone) throw error
  }
  return redirect(`${paths.key(context.workspace.slug, context.keyId)}?done=${done}`)
}

/**
 * Creates a key at most once for each form. If the form was sent before, gives the key that it created, which can no longer
 * be shown. `create` may give undefined, and is then not remembered.
 */
export const createOnce = <Created extends { key: KeyRecord } | undefined>(
  context: WorkspaceContext,
  form: URLSearchParams,
  create: (keys: Keys, tx: Transaction) => Promise<Created>,
): Promise<Created | { alreadyCreated: KeyRecord }> =>
  changeKey(context, async (keys, tx) => {
    const ticket = await findTicketOf(context, tx, form)
    if (ticket === undefined) {
      const created = await create(keys, tx)
      if (created !== undefined) await rememberTicket(context, tx, form, { keyId: created.key.id })
      return created
    }
    const key = await findKey(tx, ticket.keyId ?? '')
    // Sent for another workspace: what it did there is not shown here.
    if (key?.workspaceId !== context.workspace.workspaceId) throw incompleteForm()
    return { alreadyCreated: key }
  })

/** The key that the path names, as it is stored. */
export async function keyAt({ workspace, keyId }: WorkspaceContext, tx: Transaction): Promise<KeyRecord & KeyUse> {
  const key = await findKey(tx, keyId)
  if (key?.workspaceId !== workspace.workspaceId) throw pageNotFound()
  return key
}

/** The key that the path names, with all there is to know about it and about those that it replaces and that replace it. */
export async function readKey({ store, workspace, keyId, nowMs, frame }: WorkspaceContext): Promise<KeyDetail> {
  const clock = { nowMs, timezone: frame.timezone }
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
