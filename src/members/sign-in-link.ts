import { appendAudit } from '../audit/log.ts'
import type { OperatorStore, Transaction } from '../database/store.ts'
import { createSecret, hashSecret } from '../lib/secret.ts'
import { UserError } from '../lib/user-error.ts'
import { checkedEmail } from './members.ts'
import { membershipsOf } from './records.ts'
import { type SignedIn, signIn } from './sessions.ts'
import { insertTicket, takeTicket } from './sign-in-records.ts'

export const LINK_MINUTES = 15

interface LinkRequest {
  email: string
  /** Where the link leads; without it, to the first of the person's workspaces. */
  workspace?: string | undefined
}

/** Returns the token of a link that signs a member in, once. The audit log of what it opens says who created it. */
export function createSignInLink(
  store: Pick<OperatorStore, 'transaction'>,
  request: LinkRequest,
  { actor, nowMs: given }: { actor: string; nowMs?: number | undefined },
): Promise<string> {
  const email = checkedEmail(request.email)
  const token = createSecret()
  return store.transaction(async (tx) => {
    const nowMs = given ?? tx.nowMs
    const at = new Date(nowMs).toISOString()
    const expiresAt = new Date(nowMs + LINK_MINUTES * 60_000).toISOString()
    const memberships = await membershipsOf(tx, email)
    const chosen = memberships.filter(({ slug }) => request.workspace === undefined || slug === request.workspace)
    if (chosen.length === 0)
      throw new UserError(
        `${email} is not a member of ${request.workspace ?? 'any workspace'}; add them with 'vitrine member add'`,
      )
    const detail = { workspace: chosen[0]?.slug ?? '' }
    await insertTicket(tx, { hash: hashSecret(token), kind: 'link', subject: email, detail, expiresAt })
    for (const workspaceId of memberships.map(({ workspaceId }) => workspaceId).sort())
      await appendAudit(tx, {
        at,
        workspaceId,
        actor,
        action: 'member.link_made',
        subject: email,
        detail: { expiresAt },
      })
    return token
  })
}

/** Uses the link up. Undefined if it was used before, has expired, or its person is no longer a member. */
export async function signInWithLink(tx: Transaction, token: string, nowMs: number): Promise<SignedIn | undefined> {
  const link = await takeTicket(tx, hashSecret(token), 'link', new Date(nowMs).toISOString())
  if (link === undefined) return undefined
  return signIn(tx, { email: link.subject, by: 'link', workspace: link.detail.workspace }, nowMs)
}
