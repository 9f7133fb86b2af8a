import type { HttpResponse, PrivateRequest } from '../api/http-message.ts'
import type { Cookies } from './cookies.ts'
import flashes from './flash.json' with { type: 'json' }
import type { Notice } from './layout/page.ts'
import { redirect } from './responses.ts'

const FLASH_SECONDS = 60

/** By tone and name. `{about}` is the person, key or passkey that was changed. */
const texts = flashes satisfies Record<Notice['tone'], Record<string, string>>

type Texts = typeof texts
type NoticeName = { [Tone in keyof Texts]: keyof Texts[Tone] }[keyof Texts]

export function noticeNamed(name: string, about = ''): Notice | null {
  for (const [tone, named] of Object.entries<Record<string, string>>(texts))
    if (Object.hasOwn(named, name))
      return { tone: tone as Notice['tone'], text: (named[name] ?? '').replace('{about}', () => about) }
  return null
}

/** The page that follows confirms what was done, once. In a URL, it would be claimed on every visit. */
export const redirectWithNotice = (
  { cookies }: { cookies: Cookies },
  to: string,
  name: NoticeName,
  { about = '', headers = [] }: { about?: string; headers?: readonly string[] } = {},
): HttpResponse => {
  const value = Buffer.from([pathOf(to), name, about].join('\n')).toString('base64url')
  return redirect(to, [...headers, ...cookies.set('flash', value, FLASH_SECONDS)])
}

/**
 * Null unless a change has just led to this page. The cookie names the notice and what it is about, and is not signed: over
 * https no other host can set it, and over plain http an attacker could just as well replace the whole page.
 */
export function flashOf({ request, cookies }: { request: PrivateRequest; cookies: Cookies }): Notice | null {
  const value = request.method === 'GET' ? cookies.read(request.header('cookie'), 'flash') : undefined
  const [path, name = '', about] = Buffer.from(value ?? '', 'base64url')
    .toString()
    .split('\n')
  return path === request.path ? noticeNamed(name, about) : null
}

export const pathOf = (address: string) => address.replace(/[?#].*/s, '')
