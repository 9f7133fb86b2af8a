import type { HttpResponse, PrivateRequest } from '../api/http-message.ts'
import { MAX_OPEN_KEYS } from '../keys/records.ts'
import { formatCount } from '../lib/format-count.ts'
import type { Cookies } from './cookies.ts'
import type { Notice } from './layout/page.ts'
import { pathOf } from './paths.ts'
import { redirect } from './responses.ts'

const FLASH_SECONDS = 60

/** By tone and name. `{about}` is the person, key or passkey that was changed. */
const texts = {
  good: {
    'key-saved': 'Your changes are saved.',
    'key-paused': 'The key is paused: requests with it are now refused.',
    'key-resumed': 'The key works again.',
    'key-revoked': '“{about}” has been revoked: it no longer works.',
    'key-disconnected': '“{about}” has been disconnected: it can no longer read this workspace.',
    'keys-revoked': '{about} revoked.',
    'rotation-cancelled': 'The rotation is cancelled: this key continues to work as before.',
    'role-changed': '{about}.',
    'member-removed': '{about} is no longer a member of this workspace.',
    'passkey-added': 'The passkey “{about}” is added. Next time, sign in with it.',
    'passkey-removed': 'The passkey “{about}” is removed: it no longer signs you in.',
    'session-ended': 'That session is signed out.',
    'notices-saved': 'Saved.',
    'test-sent': 'A test is on its way. Reload this page in a few seconds to see if it arrived.',
    'workspace-saved': 'Saved. It applies to the next request of every key.',
    'workspace-restored': 'Restored. Its keys can read it again.',
    'workspace-left': 'You have left the workspace.',
    'signed-out': 'You are signed out.',
  },
  neutral: {
    'workspace-archived':
      'This workspace is archived, so only its own page and its audit log are open until an owner restores it.',
    'link-mailed':
      'The mail server has accepted the last link that you sent. It works once, within 7 days, or until a newer one replaces it.',
    'session-not-ended': 'Nothing was signed out: that session had already ended, or cannot be ended from here.',
    'session-over': 'You have been signed out. Sign in again to continue.',
    'connect-again':
      'The program’s request is too long to keep while you sign in. Sign in, then start connecting again from the program.',
    'form-kept': 'You have been signed out, so nothing was sent. Sign in again within an hour: what you typed is kept.',
    'cookies-needed': 'Choose how to sign in. If this page keeps coming back, allow its cookies first.',
    'sign-in-mailed':
      'If {about} belongs to a member, a link is on its way to it. It works once, within 15 minutes. If none arrives, check your spam folder; at most five are sent in that time.',
  },
  warn: {
    'notices-unheard': 'Saved, but no one is notified until mail or a webhook is set up.',
  },
  bad: {
    'no-such-key':
      'No key in this workspace matches what you pasted: it is damaged or incomplete, or it belongs to another workspace. It was not stored or logged.',
    'no-key-selected': 'Select at least one key.',
    'keys-ended': 'The keys you selected have already ended, so nothing was changed.',
    'key-ended': 'This key has already ended, so nothing was changed.',
    'key-rotated': 'This key has already been rotated, so nothing was changed.',
    'key-connected':
      'A connection is not rotated: its client renews its own tokens. To end its access, disconnect it; the client can then be connected again.',
    'key-full': `No key was created: this workspace has ${formatCount(MAX_OPEN_KEYS)} keys that have not ended, and cannot have more. Revoke keys that are no longer needed.`,
    'key-changed': 'This key was changed meanwhile, so nothing was changed.',
    'too-many-tests': 'Nothing was sent: there were ten tests in the last hour.',
  },
} as const satisfies Record<Notice['tone'], Record<string, string>>

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
