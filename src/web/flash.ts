import type { HttpResponse, PrivateRequest } from '../operation.ts'
import type { Cookies } from './cookies.ts'
import { redirect } from './responses.ts'

const FLASH_SECONDS = 60

export interface Flash {
  /** Names the notice, whose text is the page's own. */
  done: string
  /** The person or key that it is about. */
  about: string
}

/** The page that follows confirms what was done, once. In a URL, it would be claimed on every visit. */
export const redirectWithNotice = (
  { cookies }: { cookies: Cookies },
  to: string,
  { done, about = '' }: Partial<Flash>,
  headers: readonly string[] = [],
): HttpResponse => {
  const value = Buffer.from([pathOf(to), done, about].join('\n')).toString('base64url')
  return redirect(to, [...headers, ...cookies.set('flash', value, FLASH_SECONDS)])
}

/** Empty unless a change has just led to this page. */
export function flashOf({ request, cookies }: { request: PrivateRequest; cookies: Cookies }): Flash {
  const value = request.method === 'GET' ? cookies.read(request.header('cookie'), 'flash') : undefined
  const [path, done = '', about = ''] = Buffer.from(value ?? '', 'base64url')
    .toString()
    .split('\n')
  return path === request.path ? { done, about } : { done: '', about: '' }
}

const pathOf = (address: string) => address.replace(/[?#].*/s, '')
