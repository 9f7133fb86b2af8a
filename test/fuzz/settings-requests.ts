import fc from 'fast-check'
import { framed, type Header, type Sent, wire, words } from './requests.ts'
import type { Target } from './target.ts'

const odd = fc.oneof(
  fc.constantFrom(
    ...words("%00 a%00b %F0%9F%8E%88 .. %2e%2e %2F ' %27%20OR%201=1-- %5C %C3%A9 %E2%80%AE"),
    'a'.repeat(1000),
  ),
  fc.string({ unit: fc.constantFrom(...'abz09_-.~!$&()*+,;=:@'), minLength: 1, maxLength: 10 }),
)

const queries = words(
  "? ?q=%00 ?q=%F0%9F%8E%88 ?q=% ?key=%00 ?key=' ?kind=__proto__ ?kind=key.created ?notice=ended ?notice=constructor ?token=x ?token=%00 " +
    '?code=x&state=y ?error=access_denied ?before=2026-11-15T12:00:00.000Z_0_1 ?before=2026-02-30T12:00:00.000Z_1_-1 ?before=%00_2_0',
)
const query = fc.constantFrom('', '', ...queries, `?q=${'x'.repeat(2000)}`, `?token=${'A'.repeat(43)}`)

const W = '/settings/workspaces/:slug'
const places = words(
  '/settings /settings/ /settings/sign-in /settings/sign-in/link /settings/sign-in/oidc /settings/sign-in/oidc/callback /settings/sign-out ' +
    `/settings/assets/x/y.css ${W}/keys ${W}/keys ${W}/keys/new ${W}/keys/:id/rotate ${W}/keys/:id/revoke ${W}/audit ${W}/audit ` +
    `${W}/audit.csv ${W}/audit.ndjson ${W} /api/workspaces/:slug/keys/:id/first-use /api/x`,
)

const cookies = (own: string): (string | undefined)[] => [
  ...[own, own, undefined, `vitrine_session=${'A'.repeat(43)}`, 'vitrine_session=; ;;=', 'vitrine_session=\xff%00'],
]
const origins = [undefined, 'http://x', 'https://evil.example', 'null']
const field = fc.tuple(
  fc.constantFrom(...words('label once permissions expiry rateLimit limit overlap token x')),
  fc.oneof(
    fc.constantFrom('', '\0', '\u202e', ...words('90 -1 1e9 tasks:read 24h 😀 \ud800'), 'x'.repeat(200)),
    fc.string({ maxLength: 8 }),
  ),
)
const present = (name: string, value: string | undefined): Header[] => (value === undefined ? [] : [[name, value]])

/** People's pages and the private JSON behind them, with a session, a false one, or none. */
export const settingsRequest = ({ session }: Target): fc.Arbitrary<Sent> =>
  fc
    .record({
      slug: fc.oneof({ weight: 3, arbitrary: fc.constant('acme') }, odd),
      id: fc.oneof(fc.constant(session.keyId), odd),
      place: fc.constantFrom(...places),
      query,
      method: fc.constantFrom(...words('GET GET GET HEAD POST POST PUT DELETE OPTIONS TRACE')),
      cookie: fc.constantFrom(...cookies(session.cookie)),
      origin: fc.constantFrom(...origins),
      site: fc.constantFrom(undefined, 'same-origin', 'cross-site'),
      type: fc.constantFrom('application/x-www-form-urlencoded', 'application/json', 'multipart/form-data'),
      fields: fc.array(field, { maxLength: 6 }),
      csrf: fc.constantFrom(session.csrf, session.csrf, '', 'x'),
      large: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 17_000),
    })
    .map(({ slug, id, place, query, method, cookie, origin, site, type, fields, csrf, large }): Sent => {
      const path = place.replace(':slug', slug).replace(':id', id)
      // With its own token this would end the session that the others use, or revoke the key that they name.
      const isSpared = path === '/settings/sign-out' || id === session.keyId
      const form = new URLSearchParams([['csrf', isSpared ? 'x' : csrf], ...fields, ['filler', 'x'.repeat(large)]])
      const { header, body } = framed(Buffer.from(form.toString()), undefined)
      const headers = [...present('Cookie', cookie), ...present('Origin', origin), ...present('Sec-Fetch-Site', site)]
      if (method === 'POST') headers.push(['Content-Type', type], header)
      const bytes = wire(method, path + query, [['Host', 'x'], ...headers], method === 'POST' ? body : undefined)
      return { bytes, method, path, isSettings: true }
    })
