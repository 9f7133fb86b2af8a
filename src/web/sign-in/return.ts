import { redactTokens } from '../../lib/redact.ts'
import type { Membership } from '../../members/records.ts'
import type { PrivateRequest } from '../../operation.ts'
import type { Cookies } from '../cookies.ts'

const RETURN_SECONDS = 3600
/** Browsers keep 4,096 bytes of a cookie, its name and attributes included (RFC 6265, 6.1). */
const MAX_CHARACTERS = 3500
/** Of the session that the form was opened in. */
const SESSION_FIELDS = ['csrf', 'once']

/** Where to go on after signing in, and what a form there held. Kept in the browser alone: strangers can fill nothing here. */
interface Return {
  /** Path and query. */
  path: string
  fields: [name: string, value: string][]
}

interface ReturnContext {
  request: PrivateRequest
  cookies: Cookies
  /** The slug in the path of a page for members; undefined if there is no such page. */
  pageAt(path: string): string | undefined
}

/**
 * The cookie that brings the person back to a page, as a header; undefined if it is no page of ours. A form that is too long
 * for a cookie is left out.
 */
export function rememberPage(
  { cookies, pageAt }: ReturnContext,
  path: string,
  form?: URLSearchParams,
): { header: [string, string]; keepsForm: boolean } | undefined {
  const whole = [path, path.replace(/\?.*/s, '')].find((text) => redactTokens(text) === text)
  if (whole === undefined || pageAt(pathOf(whole)) === undefined) return undefined
  const fields = [...(form ?? [])].filter(([name]) => !SESSION_FIELDS.includes(name))
  const redacted = fields.map(([name, value]): [string, string] => [redactTokens(name), redactTokens(value)])
  const value = [encode({ path: whole, fields: redacted }), encode({ path: whole, fields: [] })].find(
    ({ length }) => length <= MAX_CHARACTERS,
  )
  if (value === undefined) return undefined
  const keepsForm = (decode(value)?.fields.length ?? 0) > 0
  return { header: cookies.set('return', value, RETURN_SECONDS), keepsForm }
}

/** Where to go on, if it is a page of a workspace that the session reaches. */
export function returnOf(context: ReturnContext, memberships: readonly Membership[]): Return | undefined {
  const found = read(context)
  return memberships.some(({ slug }) => slug === found?.slug) ? found : undefined
}

/** What the form of this page held when it was sent without a session: the page shows it filled in again. */
export function draftOf(context: ReturnContext): URLSearchParams | undefined {
  const { method, path } = context.request
  const found = method === 'GET' ? read(context) : undefined
  if (found === undefined || found.fields.length === 0 || pathOf(found.path) !== path) return undefined
  return new URLSearchParams(found.fields)
}

function read({ request, cookies, pageAt }: ReturnContext): (Return & { slug: string }) | undefined {
  const value = cookies.read(request.header('cookie'), 'return')
  const found = value === undefined || value.length > MAX_CHARACTERS ? undefined : decode(value)
  const slug = found && pageAt(pathOf(found.path))
  return found && slug !== undefined ? { ...found, slug } : undefined
}

const pathOf = (path: string) => path.replace(/\?.*/s, '')

const encode = (value: Return): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Whoever has the browser can write the cookie, so it may be anything. */
function decode(value: string): Return | undefined {
  try {
    const { path, fields } = JSON.parse(Buffer.from(value, 'base64url').toString()) as Partial<Return>
    return isOwnPath(path) && isFields(fields) ? { path, fields } : undefined
  } catch {
    return undefined
  }
}

/** Not `//host`, which is another host, nor anything that a browser would read as another path than we do. */
function isOwnPath(path: unknown): path is string {
  if (typeof path !== 'string' || !path.startsWith('/')) return false
  const base = 'http://own.invalid'
  const url = URL.parse(path, base)
  return url?.origin === base && url.pathname + url.search === path
}

const isFields = (fields: unknown): fields is Return['fields'] =>
  Array.isArray(fields) &&
  fields.every((field) => Array.isArray(field) && field.length === 2 && field.every((part) => typeof part === 'string'))
