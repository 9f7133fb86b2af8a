import type { Transaction } from '../../database/store.ts'
import { Keys } from '../../keys/life-cycle.ts'
import { type KeyOverview, listKeyOverviews } from '../../keys/overview.ts'
import { findKey, type KeyRecord } from '../../keys/records.ts'
import { hasEnded } from '../../keys/state.ts'
import { UserError } from '../../lib/user-error.ts'
import { currentMembership } from '../../members/sessions.ts'
import { PageError, pageNotFound } from '../answers.ts'
import { requireManager, type WorkspaceContext } from '../context.ts'
import { once } from '../once.ts'

/**
 * Changes a key in a transaction that first checks that the person may still do this: they may have been removed, or signed
 * out elsewhere, since their request began.
 */
export function changeKey<T>(
  context: WorkspaceContext,
  change: (keys: Keys, tx: Transaction) => Promise<T>,
): Promise<T> {
  const { store, session, workspace, keyId, clock } = context
  return store.transaction(async (tx) => {
    requireManager(await currentMembership(tx, session, workspace.workspaceId))
    if (keyId !== '' && (await findKey(tx, keyId))?.workspaceId !== workspace.workspaceId) throw pageNotFound()
    return change(new Keys({ transaction: (work) => work(tx) }, session.email, clock), tx)
  })
}

/**
 * Creates a key at most once for each form. If the form was sent before, gives the key that it created, which can no longer
 * be shown.
 */
export const createOnce = <Created extends { key: KeyRecord }>(
  context: WorkspaceContext,
  token: string,
  create: (keys: Keys) => Promise<Created>,
): Promise<Created | { alreadyCreated: KeyRecord }> =>
  once(context, token, {
    transaction: (work) => changeKey(context, (keys, tx) => work(tx, keys)),
    async first(_, keys: Keys) {
      const result = await create(keys)
      return { result, remember: { keyId: result.key.id } }
    },
    async again(tx, { keyId = '' }) {
      const key = await findKey(tx, keyId)
      // Sent for another workspace: what it did there is not shown here.
      return key?.workspaceId === context.workspace.workspaceId ? { alreadyCreated: key } : undefined
    },
  })

/** The key that the path names, for a page that offers to change it. */
export async function readWorkingKey(context: WorkspaceContext): Promise<KeyOverview> {
  const { store, workspace, keyId, nowMs, chrome } = context
  const { timezone } = chrome
  const keys = await store.read((tx) => listKeyOverviews(tx, workspace.workspaceId, { nowMs, timezone }))
  const key = keys.find(({ id }) => id === keyId)
  if (key === undefined) throw pageNotFound()
  if (hasEnded(key)) throw keyHasEnded()
  return key
}

/** Somebody may have ended the key while the page was open. */
export async function unlessEnded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof UserError ? keyHasEnded() : error
  }
}

const keyHasEnded = () =>
  new PageError(409, 'This key has already ended', 'It was revoked or has expired, so it no longer works.')
