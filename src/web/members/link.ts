import { html, named } from '../../lib/html.ts'
import type { MemberRecord, Role } from '../../members/records.ts'
import { createMemberLink } from '../../members/sign-in-link.ts'
import type { HttpResponse } from '../../operation.ts'
import { nowOf, type WorkspaceContext } from '../context.ts'
import { icon } from '../layout/icon.ts'
import { heading, type PageFrame, page } from '../layout/page.ts'
import { momentTime } from '../layout/time.ts'
import { paths, serviceUrlOf, signInLinkUrl } from '../paths.ts'
import { htmlResponse } from '../responses.ts'
import { changeMembers, memberAt } from './change.ts'
import { roleText } from './list.ts'

export async function createLink(context: WorkspaceContext): Promise<HttpResponse> {
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
    frame: context.frame,
    member,
    link: signInLinkUrl(serviceUrl, token),
    expiresAt,
    isNew,
    companySignIn: context.provider === undefined ? null : serviceUrl + paths.home,
  }
  return htmlResponse(200, linkPage(model), [], { showsSecret: true })
}

export interface LinkModel {
  frame: PageFrame
  member: { email: string; role: Role }
  link: string
  expiresAt: string
  /** Whether the member was added with it. */
  isNew: boolean
  /** Where members sign in with their company's account; null without one. */
  companySignIn: string | null
}

export function linkPage({ frame, member, link, expiresAt, isNew, companySignIn }: LinkModel): string {
  const members = paths.members(frame.workspace.slug)
  const title = isNew ? 'Invitation created' : 'New sign-in link'
  const lead = isNew
    ? html`${named(member.email)} is now ${roleText[member.role].article} of this workspace.`
    : html`For ${named(member.email)}, ${roleText[member.role].article} of this workspace. The link before it no longer works.`
  const company =
    companySignIn !== null &&
    html`<p class="notice neutral">${icon('info')}<span>${named(member.email)} can sign in with the company account at <a href="${companySignIn}">${companySignIn}</a>. The link below is only needed if that does not work for them.</span></p>`
  const body = html`${heading({ title, lead, back: { href: members, text: 'Members' } })}
${company}
<section class="panel created" aria-labelledby="link-title"><h2 id="link-title">Copy the link and hand it over</h2>
<p class="hint">This is the only time it is shown. It works once, until ${momentTime(expiresAt, frame)}, and signs in only to this workspace.</p>
<div class="secret"><code id="link" data-secret>${link}</code><button type="button" class="button copy" data-copy="link" hidden><span aria-live="polite">Copy link</span></button></div>
<p class="hint">Anyone who opens it is signed in as ${named(member.email)}, so send it to no one else.</p></section>
<p class="buttons"><a class="button" href="${members}">Done, I have copied it</a></p>`
  return page(frame, { title, section: 'members', body })
}
