import fc from 'fast-check'
import { framed, type Header, type Sent, wire, words } from './requests.ts'
import type { Target } from './target.ts'

const odd = fc.oneof(
  fc.constantFrom(
    ...words('%00 a%00b %F0%9F%8E%88 .. %2e%2e %2F'),
    "'",
    '%27%20OR%201=1--',
    '%5C',
    '%C3%A9',
    'a'.repeat(1000),
    '%E2%80%AE',
  ),
  fc.string({ unit: fc.constantFrom(...'abz09_-.~!$&()*+,;=:@'), minLength: 1, maxLength: 10 }),
)

const instants = [
  '2026-11-15T12:00:00.000Z',
  '2026-02-30T12:00:00.000Z',
  '0000-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
  '2026-13-01T00:00:00.000Z',
  '2026-11-15T24:00:00.000Z',
  '2026-11-15T23:59:60.000Z',
]
const query = fc.oneof(
  fc.constantFrom(
    '',
    '',
    ...words('? ?q=%00 ?q=%F0%9F%8E%88 ?q=%'),
    `?q=${'x'.repeat(2000)}`,
    '?key=%00',
    "?key='",
    ...words('?kind=__proto__ ?kind=key.created ?notice=ended ?notice=constructor'),
  ),
  fc
    .record({
      at: fc.constantFrom(...instants),
      source: fc.constantFrom('0', '1', '2'),
      id: fc.constantFrom('0', '1', '999999999999999', '-1', '%00'),
    })
    .map(({ at, source, id }) => `?before=${at}_${source}_${id}`),
  fc.constantFrom('?token=x', `?token=${'A'.repeat(43)}`, '?token=%00', '?code=x&state=y', '?error=access_denied'),
)

/** People's pages and the private JSON behind them, with a session, a false one, or none. */
export const settingsRequest = ({ session }: Target): fc.Arbitrary<Sent> =>
  fc
    .record({
      slug: fc.oneof({ weight: 3, arbitrary: fc.constant('acme') }, odd),
      id: fc.oneof(fc.constant(session.keyId), odd),
      place: fc.constantFrom(
        '/settings',
        '/settings/',
        '/settings/sign-in',
        '/settings/sign-in/link',
        '/settings/sign-in/oidc',
        '/settings/sign-in/oidc/callback',
        '/settings/sign-out',
        '/settings/assets/x/y.css',
        '/settings/workspaces/:slug/keys',
        '/settings/workspaces/:slug/keys',
        '/settings/workspaces/:slug/keys/new',
        '/settings/workspaces/:slug/keys/:id/rotate',
        '/settings/workspaces/:slug/keys/:id/revoke',
        '/settings/workspaces/:slug/audit',
        '/settings/workspaces/:slug/audit',
        '/settings/workspaces/:slug/audit.csv',
        '/settings/workspaces/:slug/audit.ndjson',
        '/api/workspaces/:slug/keys/:id/first-use',
        '/api/x',
        '/settings/workspaces/:slug',
      ),
      query,
      method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'),
      cookie: fc.constantFrom<Header[]>(
        [['Cookie', session.cookie]],
        [['Cookie', session.cookie]],
        [],
        [['Cookie', `vitrine_session=${'A'.repeat(43)}`]],
        [['Cookie', 'vitrine_session=; ;;=']],
        [['Cookie', 'vitrine_session=\xff%00']],
      ),
      origin: fc.constantFrom<Header[]>(
        [
          ['Origin', 'http://x'],
          ['Sec-Fetch-Site', 'same-origin'],
        ],
        [['Origin', 'http://x']],
        [['Origin', 'https://evil.example']],
        [],
        [['Sec-Fetch-Site', 'cross-site']],
        [['Origin', 'null']],
      ),
      type: fc.constantFrom(
        'application/x-www-form-urlencoded',
        'application/x-www-form-urlencoded; charset=utf-8',
        'application/json',
        'multipart/form-data',
      ),
      fields: fc.array(
        fc.tuple(
          fc.constantFrom('label', 'once', 'permissions', 'expiry', 'rateLimit', 'limit', 'overlap', 'token', 'x'),
          fc.oneof(
            fc.constantFrom(
              '',
              '\0',
              '\u202e',
              '90',
              '-1',
              '1e9',
              'tasks:read',
              '24h',
              'x'.repeat(200),
              '😀',
              '\ud800',
            ),
            fc.string({ maxLength: 8 }),
          ),
        ),
        { maxLength: 6 },
      ),
      csrf: fc.constantFrom(session.csrf, session.csrf, '', 'x'),
      large: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 17_000),
    })
    .map(({ slug, id, place, query, method, cookie, origin, type, fields, csrf, large }): Sent => {
      const path = place.replace(':slug', slug).replace(':id', id)
      // With its own token this would end the session that the others use, or revoke the key that they name.
      const isSpared = path === '/settings/sign-out' || id === session.keyId
      const form = new URLSearchParams([['csrf', isSpared ? 'x' : csrf], ...fields, ['filler', 'x'.repeat(large)]])
      const { header, body } = framed(Buffer.from(form.toString()), undefined)
      const headers: Header[] = [['Host', 'x'], ...cookie, ...origin]
      if (method === 'POST') headers.push(['Content-Type', type], header)
      const bytes = wire(method, path + query, headers, method === 'POST' ? body : undefined)
      return { bytes, method, path, isSettings: true }
    })
