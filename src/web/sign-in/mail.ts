import { ONE_AT_A_TIME, Slots } from '../../database/slots.ts'
import { personEmail } from '../../lib/email.ts'
import { membershipsOf } from '../../members/records.ts'
import { createMailedLink, LINK_MINUTES } from '../../members/sign-in-link.ts'
import type { SendMail } from '../../notices/mail.ts'
import type { RequestContext, RequestHandler } from '../context.ts'
import { redirectWithNotice } from '../flash.ts'
import { paths, signInLinkUrl } from '../paths.ts'
import { rememberPage } from '../remember-page.ts'
import { pageNotFound } from '../responses.ts'
import { readVisitorForm, refuseSignIn } from './sign-in.ts'

/** One at a time, because no response waits for them: a flood must not slow the database down for people who do wait. */
const lookups = new Slots(ONE_AT_A_TIME)

/** Every address gets the same response, before anything is looked up, so that it does not reveal who is a member. */
export const mailLink: RequestHandler = async (context) => {
  const { request, requestLimits, mail } = context
  if (mail === undefined) throw pageNotFound()
  const form = await readVisitorForm(context)
  requestLimits.count('mail', request.caller.address)
  const email = personEmail((form.get('email') ?? '').trim())
  const here = form.get('continue')
  if (email === undefined)
    return refuseSignIn(
      { ...context, draft: form },
      422,
      'Type the email address that you are a member with.',
      [],
      here,
    )
  request.onResponseSent(() => void sendLink(context, mail, email).catch((error) => request.logFailure(error)))
  const { headers } = rememberPage(context, here ?? '')
  return redirectWithNotice(context, paths.signIn, 'sign-in-mailed', { about: email, headers })
}

async function sendLink(context: RequestContext, mail: SendMail, email: string): Promise<void> {
  const { store, requestLimits, config } = context
  const token = await lookups.run(async () => {
    // Anyone can type any address, so only a member's opens a writing transaction. The client may have disconnected by now.
    const memberships = await store.read(
      (tx) => membershipsOf(tx, email),
      () => false,
    )
    const workspaceIds = memberships.map(({ workspaceId }) => workspaceId)
    if (workspaceIds.length === 0 || !requestLimits.mayMailLink(email, workspaceIds)) return undefined
    return store.transaction((tx) => createMailedLink(tx, email))
  })
  if (token === undefined) return
  await mail({
    to: email,
    subject: 'Sign in to Vitrine',
    text: `Open this link to sign in to all of your workspaces as ${email}. It works once, within ${LINK_MINUTES} minutes:

${signInLinkUrl(config.publicUrl, token)}

Do not forward this mail: whoever opens the link is signed in as you. If you did not ask for it, ignore it: no one else got the link.
`,
  })
}
