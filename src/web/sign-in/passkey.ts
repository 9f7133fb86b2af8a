import { requestOptions, signInWithPasskey } from '../../members/passkeys.ts'
import type { RequestHandler } from '../context.ts'
import { rememberPage } from '../remember-page.ts'
import { pageNotFound, protectedJsonResponse } from '../responses.ts'
import { acceptSignIn, readVisitorForm, refuseSignIn, visitOf, visitorOf } from './sign-in.ts'

const REFUSED =
  'This passkey does not work here: it was removed, its person is no longer a member, or signing in took too long. Try again, or sign in another way.'
const COPIED =
  'This passkey was refused because it may have been copied. Sign in another way, remove it under “Where you are signed in”, and add a new one.'

/** The script first asks for options, and then sends the credential. */
export const signInByPasskey: RequestHandler = async (context) => {
  const { config, request, cookies, requestLimits } = context
  if (config.passkeys === undefined) throw pageNotFound()
  const form = await readVisitorForm(context)
  const passkeyContext = { ...context, party: config.passkeys }
  const browser = visitorOf(context) ?? ''
  const [credential, here] = [form.get('credential'), form.get('continue')]
  if (credential === null) {
    requestLimits.count('passkey', request.caller.address)
    const { headers } = rememberPage(context, here ?? '')
    return protectedJsonResponse(200, { options: await requestOptions(passkeyContext, browser) }, headers)
  }
  requestLimits.count('passkey-response', request.caller.address)
  const signedIn = await signInWithPasskey(passkeyContext, { credential, browser, ...visitOf(context) })
  if (signedIn === undefined || signedIn === 'copied')
    return refuseSignIn(context, 403, signedIn === 'copied' ? COPIED : REFUSED, [], here)
  return acceptSignIn(context, signedIn, cookies.clear('visitor'))
}
