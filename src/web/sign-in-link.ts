import { appendAudit } from '../audit/log.ts'
import type { OperatorStore } from '../database/store.ts'
import { UserError } from '../lib/user-error.ts'
import { checkedEmail } from '../members/members.ts'
import { membershipsOf } from '../members/records.ts'
import { insertTicket } from '../members/sign-in-records.ts'
import { paths } from './paths.ts'
import { hashSecret, makeSecret } from './secret.ts'

export const LINK_MINUTES = 15

interface LinkWish {
  email: string
  /** Where the link leads; without it, to the first of the person's workspaces. */
  workspace?: string | undefined
}

/** Makes a link that signs a member in, once. Who made it is in the audit trail of what it opens. */
export function makeSignInLink(
  store: OperatorStore,
  wish: LinkWish,
  { baseUrl, actor, nowMs: given }: { baseUrl: string; actor: string; nowMs?: number },
): Promise<string> {
  const email = checkedEmail(wish.email)
  const secret = makeSecret()
  return store.transaction(async (tx) => {
    const nowMs = given ?? tx.nowMs
    const at = new Date(nowMs).toISOString()
    const expiresAt = new Date(nowMs + LINK_MINUTES * 60_000).toISOString()
    const memberships = await membershipsOf(tx, email)
    const chosen = memberships.filter(({ slug }) => wish.workspace === undefined || slug === wish.workspace)
    if (chosen.length === 0)
      throw new UserError(
        `${email} is not a member of ${wish.workspace ?? 'any workspace'}; add them with 'vitrine member add'`,
      )
    const detail = { workspace: chosen[0]?.slug ?? '' }
    await insertTicket(tx, { hash: hashSecret(secret), kind: 'link', subject: email, detail, expiresAt })
    for (const workspaceId of memberships.map(({ workspaceId }) => workspaceId).sort())
      await appendAudit(tx, {
        at,
        workspaceId,
        actor,
        action: 'member.link_made',
        subject: email,
        detail: { expiresAt },
      })
    return `${baseUrl}${paths.signInLink}?token=${secret}`
  })
}
