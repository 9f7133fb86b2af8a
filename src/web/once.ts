import type { Transaction } from '../database/store.ts'
import { findKey, type KeyRecord } from '../keys/records.ts'
import { findTicket, insertTicket } from '../members/sign-in-records.ts'
import { htmlAnswer } from './answers.ts'
import type { Desk } from './desk.ts'
import { PageError } from './page-error.ts'
import { alreadyShownPage } from './pages/already-shown.ts'
import { hashSecret, isSecret } from './secret.ts'
import { LONGEST_SECONDS } from './sessions.ts'

/** The form was sent before: what it asked for is done, and must not be done again. */
export class SentBefore extends Error {
  override name = 'SentBefore'
}

export function onceOf(form: URLSearchParams): string {
  const once = form.get('once') ?? undefined
  if (!isSecret(once)) throw notWhole()
  return once
}

const notWhole = () => new PageError(400, 'This form is not whole', 'Open it again and fill it in once more.')

/** Remembers which key a form made, in the transaction that makes it. Of two at once, one is undone. */
export const rememberForm =
  ({ visit, nowMs }: Desk, once: string) =>
  async (tx: Transaction, { key }: { key: KeyRecord }): Promise<void> => {
    const isFirst = await insertTicket(tx, {
      hash: hashSecret(once),
      kind: 'form',
      subject: visit.email,
      detail: { keyId: key.id },
      // As long as the session that the form belongs to can last.
      expiresAt: new Date(nowMs + LONGEST_SECONDS * 1000).toISOString(),
    })
    if (!isFirst) throw new SentBefore()
  }

/** The key that a form has made already, if it has. */
export function madeBefore({ parts, visit, workspace }: Desk, once: string): Promise<KeyRecord | undefined> {
  return parts.store.read(async (tx) => {
    const ticket = await findTicket(tx, hashSecret(once), 'form')
    const key = ticket?.subject === visit.email ? await findKey(tx, ticket.detail.keyId ?? '') : undefined
    return key?.workspaceId === workspace.workspaceId ? key : undefined
  })
}

export const alreadyShown = ({ chrome }: Desk, key: KeyRecord) => htmlAnswer(409, alreadyShownPage({ chrome, key }))

/** Does what the form asks for, unless it was done before: then the page says so, without the key. */
export async function onlyOnce<T>(
  desk: Desk,
  once: string,
  work: () => Promise<T>,
): Promise<T | { before: KeyRecord }> {
  const before = await madeBefore(desk, once)
  if (before !== undefined) return { before }
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SentBefore)) throw error
    const meanwhile = await madeBefore(desk, once)
    // Sent for another workspace, or by somebody else: what it did there is not told here.
    if (meanwhile === undefined) throw notWhole()
    return { before: meanwhile }
  }
}
