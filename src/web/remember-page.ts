/**
 * A cookie remembers one page, and what its form contained, until the person is back on it: after signing in, or at once, to see
 * what was wrong with the form. The script is not needed, and the server stores nothing that was not accepted.
 */
import type { PrivateRequest } from '../api/http-message.ts'
import { redactName, redactTokens } from '../lib/redact.ts'
import type { Membership } from '../members/records.ts'
import type { Cookies } from './cookies.ts'
import { pathOf } from './paths.ts'

const RETURN_SECONDS = 3600
/** Long enough for a redirect. */
const REFUSED_SECONDS = 60
/** Browsers store 4,096 bytes of a cookie, its name and attributes included (RFC 6265, 6.1). */
const MAX_CHARACTERS = 3900
/** These belong to the session in which the form was opened. */
const SESSION_FIELDS = ['csrf', 'once']
/** A name, or a search for one. */
const NAME_FIELDS = ['label', 'name', 'q', 'key']
const REFUSED = 'refused'

interface ReturnContext {
  request: PrivateRequest
  cookies: Cookies
  pageAt(path: string): string | undefined
}

export const NOT_REMEMBERED = { headers: [] as string[], keepsForm: false, isTooLong: false }

/** Remembers only our own pages. A form that is too long for a cookie is left out. */
export function rememberPage(context: ReturnContext, path: string, form = new URLSearchParams(), isRefused = false) {
  const slug = slugOf(context, path)
  // A request for consent consists of long random texts, none of which is a secret of ours.
  const whole = slug === '' ? path : [path, pathOf(path)].find((text) => redactTokens(text) === text)
  if (whole === undefined || slug === undefined) return NOT_REMEMBERED
  const typed = [...form].filter(([name]) => !SESSION_FIELDS.includes(name))
  const redacted = new URLSearchParams(
    typed.map(([name, value]): [string, string] => [
      redactTokens(name),
      (NAME_FIELDS.includes(name) ? redactName : redactTokens)(value),
    ]),
  )
  // Without the key that was typed, the form would have no error.
  const isChanged = isRefused && String(redacted) !== String(new URLSearchParams(typed))
  for (const kept of [...(isChanged ? [] : [redacted]), new URLSearchParams()]) {
    const value = Buffer.from(`${whole}\n${kept}${isRefused ? `\n${REFUSED}` : ''}`).toString('base64url')
    if (value.length <= MAX_CHARACTERS)
      return {
        headers: context.cookies.set('return', value, isRefused ? REFUSED_SECONDS : RETURN_SECONDS),
        keepsForm: kept.size > 0,
        isTooLong: false,
      }
  }
  // An earlier page must not take its place.
  return { headers: context.cookies.clear('return'), keepsForm: false, isTooLong: true }
}

export function returnOf(context: ReturnContext, memberships: readonly Membership[]) {
  const found = read(context)
  return found?.slug === '' || memberships.some(({ slug }) => slug === found?.slug) ? found : undefined
}

export const returnPathOf = (context: ReturnContext): string | undefined => read(context)?.path

/** The form of the requested page, if it was sent without a session, or with errors. */
export function draftIn(context: ReturnContext) {
  const found = context.request.method === 'GET' ? read(context) : undefined
  return found !== undefined && found.form.size > 0 && found.path === targetOf(context.request) ? found : undefined
}

/** The form was sent with errors (`isRefused`), or without a session. People can write anything into their cookies. */
function read(context: ReturnContext) {
  const { request, cookies } = context
  const value = cookies.read(request.header('cookie'), 'return') ?? ''
  if (value.length > MAX_CHARACTERS) return undefined
  const [path = '', fields = '', state] = Buffer.from(value, 'base64url').toString().split('\n')
  const slug = slugOf(context, path)
  if (slug === undefined) return undefined
  return { path, form: new URLSearchParams(fields), isRefused: state === REFUSED, slug }
}

/** With the query, which is part of a request for consent. */
export const targetOf = ({ path, query }: Pick<PrivateRequest, 'path' | 'query'>): string =>
  query.size === 0 ? path : `${path}?${query}`

/** Undefined for `//host`, for every path that a browser would interpret differently, and if there is no such page. */
function slugOf({ pageAt }: ReturnContext, path: string): string | undefined {
  const base = 'http://own.invalid'
  const url = path.startsWith('/') ? URL.parse(path, base) : null
  return url?.origin === base && url.pathname + url.search === path ? pageAt(url.pathname) : undefined
}
