import { storeBusy } from '../database/errors.ts'
import { redactTokens } from '../lib/redact.ts'
import { countTickets, insertTicket, takeTicket } from '../members/sign-in-records.ts'
import type { Answer, PrivateRequest } from '../operation.ts'
import { redirect } from './answers.ts'
import type { IdentityProvider, Vouched } from './identity-provider.ts'
import { notThere } from './page-error.ts'
import { nowOf, type SettingsParts } from './parts.ts'
import { paths } from './paths.ts'
import { hashSecret, isSecret, makeSecret } from './secret.ts'
import { forgetEnded } from './sessions.ts'
import { admitPerson, enter, refuseSignIn, visitorOf } from './sign-in.ts'

const ERRAND_SECONDS = 600
/** Anyone may set out, without an account: of so many who are away at once, more are asked to come back later. */
const MAX_AWAY = 10_000

const NO_PLAIN_ADDRESS =
  'Your company’s sign-in gave no email address that can be used here: it must be in plain ASCII letters. Ask the people who run your company’s sign-in to correct it, or whoever runs this service for a sign-in link.'

/** Leaves for the company's identity provider; a cookie ties the way back to this browser. */
export async function startOidc(request: PrivateRequest, parts: SettingsParts): Promise<Answer> {
  const provider = providerOf(parts)
  if (visitorOf(request, parts) === undefined) return redirect(`${paths.signIn}?notice=begin`)
  parts.attempts.count('oidc', request.caller.address)
  let away: Awaited<ReturnType<IdentityProvider['leave']>>
  try {
    away = await provider.leave()
  } catch (error) {
    request.report(error)
    return refuseSignIn(parts, 502, 'Your company’s sign-in cannot be reached at the moment. Try again later.')
  }
  const secret = makeSecret()
  await parts.store.transaction(async (tx) => {
    const nowMs = nowOf(parts, tx)
    await forgetEnded(tx, nowMs)
    if ((await countTickets(tx, 'oidc')) >= MAX_AWAY) throw storeBusy
    await insertTicket(tx, {
      hash: hashSecret(secret),
      kind: 'oidc',
      subject: '',
      detail: away.errand,
      expiresAt: new Date(nowMs + ERRAND_SECONDS * 1000).toISOString(),
    })
  })
  return redirect(away.url, parts.cookies.set('oidc', secret, ERRAND_SECONDS))
}

export async function finishOidc(request: PrivateRequest, parts: SettingsParts): Promise<Answer> {
  const provider = providerOf(parts)
  const done = parts.cookies.clear('oidc')
  const errand = await takeErrand(request, parts)
  if (errand === undefined) return refuseSignIn(parts, 400, 'This sign-in took too long. Start it again.', done)
  let vouched: Vouched
  try {
    vouched = await provider.comeBack(request.query, errand)
  } catch (error) {
    request.report(error)
    return refuseSignIn(parts, 403, 'Your company’s sign-in did not let you in. Try again, or ask its admins.', done)
  }
  const { email, isVerified } = vouched
  if (!isVerified)
    return refuseSignIn(
      parts,
      403,
      'Your company’s sign-in has not verified your email address, so it cannot be used.',
      done,
    )
  if (email === undefined) return refuseSignIn(parts, 403, NO_PLAIN_ADDRESS, done)
  const welcome = await parts.store.transaction(async (tx) => admitPerson(tx, email, 'oidc', nowOf(parts, tx)))
  if (welcome === undefined)
    return refuseSignIn(
      parts,
      403,
      `${redactTokens(email)} is not a member of a workspace here. Ask an owner to add you.`,
      done,
    )
  return enter(parts, welcome, done)
}

function providerOf({ provider }: SettingsParts): IdentityProvider {
  if (provider === undefined) throw notThere()
  return provider
}

/** What this browser left with. It is taken: nobody comes back twice. */
async function takeErrand(request: PrivateRequest, parts: SettingsParts) {
  const secret = parts.cookies.read(request.header('cookie'), 'oidc')
  if (!isSecret(secret)) return undefined
  parts.attempts.count('oidc-back', request.caller.address)
  const ticket = await parts.store.transaction(async (tx) => {
    const now = new Date(nowOf(parts, tx)).toISOString()
    return takeTicket(tx, hashSecret(secret), 'oidc', now)
  })
  const { state, nonce, verifier } = ticket?.detail ?? {}
  return state === undefined || nonce === undefined || verifier === undefined ? undefined : { state, nonce, verifier }
}
