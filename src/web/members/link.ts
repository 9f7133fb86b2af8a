import type { MemberRecord } from '../../members/records.ts'
import { createMemberLink } from '../../members/sign-in-link.ts'
import type { HttpResponse } from '../../operation.ts'
import { nowOf, requireManager, type WorkspaceContext } from '../context.ts'
import { readForm } from '../form.ts'
import { paths, signInLinkUrl } from '../paths.ts'
import { htmlResponse } from '../responses.ts'
import { serviceUrlOf } from '../service-url.ts'
import { changeMembers, memberAt } from './change.ts'
import { linkPage } from './link-page.ts'

export async function createLink(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  await readForm(context, context.chrome.csrf)
  const { member, link } = await changeMembers(context, async (tx, manager) => {
    const found = await memberAt(context, tx)
    return { member: found, link: await createMemberLink(tx, context.workspace, found, manager, nowOf(context, tx)) }
  })
  return linkResponse(context, member, link, { isNew: false })
}

/** The response itself holds the link. It is nowhere else, so neither a reload nor going back can show it again. */
export function linkResponse(
  context: WorkspaceContext,
  member: MemberRecord,
  { token, expiresAt }: { token: string; expiresAt: string },
  { isNew }: { isNew: boolean },
): HttpResponse {
  const serviceUrl = serviceUrlOf(context)
  const model = {
    chrome: context.chrome,
    member,
    link: signInLinkUrl(serviceUrl, token),
    expiresAt,
    isNew,
    companySignIn: context.provider === undefined ? null : serviceUrl + paths.home,
  }
  return htmlResponse(200, linkPage(model), [], { showsSecret: true })
}
