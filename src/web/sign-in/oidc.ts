import { isSecret } from '../../lib/secret.ts'
import { AUTHORIZATION_SECONDS, saveOidcChecks, takeOidcChecks } from '../../members/identity-provider.ts'
import { signIn } from '../../members/sessions.ts'
import type { RequestHandler } from '../context.ts'
import { noticeNamed } from '../flash.ts'
import { rememberPage } from '../remember-page.ts'
import { pageNotFound, redirect } from '../responses.ts'
import { acceptSignIn, refuseSignIn, signInResponse, visitOf, visitorOf } from './sign-in.ts'

const UNREACHABLE = 'Your company’s sign-in cannot be reached right now. Try again later.'
const TOO_LATE = 'This sign-in took too long. Start it again.'
const REFUSED = 'Your company’s sign-in refused to sign you in. Try again, or ask its admins.'
const UNVERIFIED = 'Your company’s sign-in has not verified your email address, so it cannot be used.'
const UNUSABLE_EMAIL =
  'Your company’s sign-in provided no usable email address: it must be in plain ASCII letters. Ask its admins to correct it, or ask the operator of this service for a sign-in link.'

/** A cookie ties the callback to this browser. */
export const startOidc: RequestHandler = async (context) => {
  const { provider, request, store, cookies, requestLimits } = context
  if (provider === undefined) throw pageNotFound()
  const here = request.query.get('continue') ?? undefined
  if (visitorOf(context) === undefined) return signInResponse(context, noticeNamed('cookies-needed'), here)
  requestLimits.count('oidc', request.caller.address)
  const authorization = await provider.authorizationUrl().catch((error) => void request.logFailure(error))
  if (authorization === undefined) return refuseSignIn(context, 502, UNREACHABLE, [], here)
  const secret = await store.transaction((tx) => saveOidcChecks(tx, authorization.checks))
  const { headers } = rememberPage(context, here ?? '')
  return redirect(authorization.url, [...cookies.set('oidc', secret, AUTHORIZATION_SECONDS), ...headers])
}

export const handleOidcCallback: RequestHandler = async (context) => {
  const { provider, request, store, cookies, requestLimits } = context
  if (provider === undefined) throw pageNotFound()
  const clearCookie = cookies.clear('oidc')
  const secret = cookies.read(request.header('cookie'), 'oidc')
  if (!isSecret(secret)) return refuseSignIn(context, 400, TOO_LATE, clearCookie)
  requestLimits.count('oidc-callback', request.caller.address)
  const checks = await store.transaction((tx) => takeOidcChecks(tx, secret))
  if (checks === undefined) return refuseSignIn(context, 400, TOO_LATE, clearCookie)
  const claim = await provider.handleCallback(request.query, checks).catch((error) => void request.logFailure(error))
  if (claim === undefined) return refuseSignIn(context, 403, REFUSED, clearCookie)
  const { email, isVerified } = claim
  if (!isVerified) return refuseSignIn(context, 403, UNVERIFIED, clearCookie)
  if (email === undefined) return refuseSignIn(context, 403, UNUSABLE_EMAIL, clearCookie)
  const scope = { email, workspaceId: null, linkBy: null }
  const signedIn = await store.transaction((tx) => signIn(tx, { scope, method: { by: 'oidc' }, ...visitOf(context) }))
  if (signedIn !== undefined) return acceptSignIn(context, signedIn, clearCookie)
  const stranger = `${email} is not a member of any workspace. Ask an owner or admin of your workspace to invite this address, under Members; then sign in again.`
  return refuseSignIn(context, 403, stranger, clearCookie)
}
