import type { ListingRequest } from '../keys/listing.ts'
import { redactTokens } from '../lib/redact.ts'
import { UNSUBSCRIBE_PATH } from '../notices/records.ts'

/** Links, forms and redirects take their paths from here, and so do the patterns of `routes.ts`. */
const workspace = (slug: string) => `/settings/workspaces/${encodeURIComponent(slug)}`

/** Each tab and each action has a path below the key's page: GET shows it or its form, POST performs it. */
export type KeyAction =
  | 'agent'
  | 'cancel-rotation'
  | 'edit'
  | 'history'
  | 'pause'
  | 'requests'
  | 'resume'
  | 'revoke'
  | 'rotate'
type MemberAction = 'link' | 'remove' | 'role'

const below = (path: string, action: string | undefined) => (action === undefined ? path : `${path}/${action}`)

const query = (params: Record<string, string | null>) => {
  const present = Object.entries(params).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '')
  return present.length === 0 ? '' : `?${new URLSearchParams(present)}`
}

const log = (path: string, filter: LogFilter, format: LogFormat | undefined) =>
  `${path}${format === undefined ? '' : `.${format}`}${query(filter)}`

const pageIn = (page: number) => (page === 1 ? '' : String(page))

const USUAL_DAYS = 30
const daysIn = (days = USUAL_DAYS) => query({ days: days === USUAL_DAYS ? null : String(days) })

type LogFilter = Partial<
  Record<'outcome' | 'key' | 'kind' | 'who' | 'q' | 'from' | 'to' | 'before' | 'request', string | null>
>
type LogFormat = 'csv' | 'ndjson'

export const paths = {
  /** Where a client sends a person (RFC 6749, 3.1). */
  authorize: '/oauth/authorize',
  home: '/settings',
  signIn: '/settings/sign-in',
  /** GET only asks for confirmation, so that a mail scanner does not use up the link; POST signs in. */
  signInLink: '/settings/sign-in/link',
  signInOidc: '/settings/sign-in/oidc',
  /** Signing in leads to `here`, whichever tab started last. */
  startOidc: (here: string | null = null) => `/settings/sign-in/oidc${query({ continue: here })}`,
  /** The redirect URI to register with the identity provider. */
  signInOidcCallback: '/settings/sign-in/oidc/callback',
  signInMail: '/settings/sign-in/mail',
  /** The script gets options here, and sends the credential. */
  signInPasskey: '/settings/sign-in/passkey',
  signOut: '/settings/sign-out',
  asset: (version: string, name: string) => `/settings/assets/${version}/${name}`,

  /** Its chart and a key's show the last `days`. */
  overview: (slug: string, days?: number) => workspace(slug) + daysIn(days),

  keys: (slug: string, { search: q = '', show = 'all', page = 1 }: Partial<ListingRequest> = {}) =>
    `${workspace(slug)}/keys${query({
      q,
      show: show === 'all' ? '' : show,
      page: pageIn(page),
    })}`,
  /** POST keeps a pasted key out of URLs and logs. */
  searchKeys: (slug: string) => `${workspace(slug)}/keys/search`,
  /** The ways to connect an agent or a script. */
  connect: (slug: string) => `${workspace(slug)}/keys/connect`,
  revokeSelected: (slug: string) => `${workspace(slug)}/keys/revoke`,
  newKey: (slug: string) => `${workspace(slug)}/keys/new`,
  key: (slug: string, id: string, action?: KeyAction) =>
    below(`${workspace(slug)}/keys/${encodeURIComponent(id)}`, action),

  useOf: (slug: string, id: string, days: number) => paths.key(slug, id) + daysIn(days),

  /** For the workspace, or for one key. POST redacts the search text before it appears in a URL. */
  requests: (slug: string, keyId?: string, filter: LogFilter = {}, format?: LogFormat) =>
    log(keyId === undefined ? `${workspace(slug)}/requests` : paths.key(slug, keyId, 'requests'), filter, format),

  notices: (slug: string, action?: 'secret' | 'test') => below(`${workspace(slug)}/notices`, action),
  /** GET only asks for confirmation; POST unsubscribes, also without a session (RFC 8058). */
  unsubscribe: UNSUBSCRIBE_PATH,

  members: (slug: string, q = '', page = 1) => `${workspace(slug)}/members${query({ q, page: pageIn(page) })}`,
  newMember: (slug: string) => `${workspace(slug)}/members/new`,
  member: (slug: string, id: string, action?: MemberAction) =>
    below(`${workspace(slug)}/members/${encodeURIComponent(id)}`, action),
  signIns: (slug: string, show: Record<string, string> = {}) => `${workspace(slug)}/sign-ins${query(show)}`,
  passkeys: (slug: string) => `${workspace(slug)}/sign-ins/passkeys`,
  removePasskey: (slug: string) => `${workspace(slug)}/sign-ins/passkeys/remove`,

  workspace: (slug: string) => `${workspace(slug)}/workspace`,
  /** The person's workspaces, to switch to. */
  workspaces: (slug: string, q = '', page = 1) => `${workspace(slug)}/workspaces${query({ q, page: pageIn(page) })}`,
  archive: (slug: string) => `${workspace(slug)}/workspace/archive`,
  restore: (slug: string) => `${workspace(slug)}/workspace/restore`,
  sources: (slug: string) => `${workspace(slug)}/workspace#sources`,

  /** POST redacts the search text before it appears in a URL. */
  audit: (slug: string, filter: LogFilter = {}, format?: LogFormat) => log(`${workspace(slug)}/audit`, filter, format),

  /** JSON for the script that waits for a key's first request. */
  firstUse: (slug: string, id: string) =>
    `/api/workspaces/${encodeURIComponent(slug)}/keys/${encodeURIComponent(id)}/first-use`,
}

export const signInLinkUrl = (baseUrl: string, token: string): string => `${baseUrl}${paths.signInLink}?token=${token}`

export const pathOf = (address: string): string => address.replace(/[?#].*/s, '')

/** The path need not have a page. */
export const slugIn = (path: string): string | undefined => /^\/settings\/workspaces\/([^/]+)/.exec(path)?.[1]

interface Reached {
  request: { header(name: 'host' | 'origin'): string | undefined }
  config: { publicUrl: string }
}

/** The configured URL, or else the one at which this browser reached the service. */
export function serviceUrlOf({ request, config }: Reached): string {
  if (config.publicUrl !== '') return config.publicUrl
  const host = request.header('host') ?? ''
  // This goes into snippets, so it must look like a host.
  if (!/^[\w.:[\]-]{1,255}$/.test(host) || redactTokens(host) !== host) return 'http://localhost'
  // Behind a TLS proxy, only the browser knows the scheme, and sends it with forms.
  return request.header('origin') === `https://${host}` ? `https://${host}` : `http://${host}`
}

export const sitePaths = {
  home: '/',
  docs: '/docs',
  guide: (name: string) => `/docs/${name}`,
  api: '/docs/api',
  operation: (operationId: string) => `/docs/api/${encodeURIComponent(operationId)}`,
  schema: (name: string) => `/docs/api/schemas/${encodeURIComponent(name)}`,
  problems: '/problems',
  problem: (code: string) => `/problems/${code}`,
  problemsSource: '/docs/problems/README.md',
  openApi: '/openapi.json',
  llms: '/llms.txt',
  mcp: '/v2/mcp',
}
