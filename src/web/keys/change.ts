import type { Transaction } from '../../database/store.ts'
import { Keys } from '../../keys/life-cycle.ts'
import { type KeyOverview, listKeyOverviews } from '../../keys/overview.ts'
import { findKey, type KeyRecord } from '../../keys/records.ts'
import { hasEnded } from '../../keys/state.ts'
import { hashSecret, isSecret } from '../../lib/secret.ts'
import { UserError } from '../../lib/user-error.ts'
import { currentMembership, SESSION_SECONDS } from '../../members/sessions.ts'
import { findTicket, insertTicket } from '../../members/sign-in-records.ts'
import { PageError, pageNotFound } from '../answers.ts'
import { requireManager, type WorkspaceContext } from '../context.ts'

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

/** The form's idempotency token, in the field `once`. */
export function idempotencyTokenOf(form: URLSearchParams): string {
  const token = form.get('once') ?? undefined
  if (!isSecret(token)) throw incompleteForm('Open it again and fill it in once more.')
  return token
}

export const incompleteForm = (text: string) => new PageError(400, 'This form is incomplete', text)

/**
 * Creates a key at most once for each form. If the form was sent before, gives the key that it created, which can no longer
 * be shown. Token and key are written in one transaction, so of two sent at once one is rolled back.
 */
export async function createOnce<Created extends { key: KeyRecord }>(
  context: WorkspaceContext,
  token: string,
  create: (keys: Keys) => Promise<Created>,
): Promise<Created | { alreadyCreated: KeyRecord }> {
  const attempt = () =>
    changeKey(context, async (keys, tx) => {
      const alreadyCreated = await createdBy(context, tx, token)
      if (alreadyCreated !== undefined) return { alreadyCreated }
      const created = await create(keys)
      await rememberToken(context, tx, token, created.key)
      return created
    })
  try {
    return await attempt()
  } catch (error) {
    if (!(error instanceof SentMeanwhile)) throw error
    return attempt()
  }
}

class SentMeanwhile extends Error {
  override name = 'SentMeanwhile'
}

async function createdBy(
  { session, workspace }: WorkspaceContext,
  tx: Transaction,
  token: string,
): Promise<KeyRecord | undefined> {
  const ticket = await findTicket(tx, hashSecret(token), 'form')
  if (ticket === undefined) return undefined
  const key = ticket.subject === session.email ? await findKey(tx, ticket.detail.keyId ?? '') : undefined
  // Sent for another workspace, or by somebody else: what it did there is not shown here.
  if (key?.workspaceId !== workspace.workspaceId) throw incompleteForm('Open it again and fill it in once more.')
  return key
}

async function rememberToken(
  { session, nowMs }: WorkspaceContext,
  tx: Transaction,
  token: string,
  { id: keyId }: KeyRecord,
): Promise<void> {
  const isFirst = await insertTicket(tx, {
    hash: hashSecret(token),
    kind: 'form',
    subject: session.email,
    detail: { keyId },
    // As long as the session that the form belongs to can last.
    expiresAt: new Date(nowMs + SESSION_SECONDS * 1000).toISOString(),
  })
  if (!isFirst) throw new SentMeanwhile()
}

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
