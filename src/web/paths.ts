import { redactTokens } from '../lib/redact.ts'

/** Every address of the settings pages, in one place so that a page and its route cannot disagree. */
const workspace = (slug: string) => `/settings/workspaces/${encodeURIComponent(slug)}`

/** What can be done with a key: below its page, each has a path of its own. GET shows its form, POST does it. */
export type KeyAction = 'agent' | 'cancel-rotation' | 'edit' | 'pause' | 'replace' | 'resume' | 'revoke' | 'rotate'
type MemberAction = 'link' | 'remove' | 'role'

const below = (path: string, action: string | undefined) => (action === undefined ? path : `${path}/${action}`)

const query = (params: Record<string, string | null>) => {
  const given = Object.entries(params).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** What of the list of keys is shown; the values are those of `src/keys/listing.ts`. */
interface KeysQuery {
  q?: string
  show?: string
  sort?: string
  page?: number
  notice?: string
}

/** A key's id, one of `auditKinds`, who, words to search for, and the first and the last day; all optional. */
type AuditFilter = Partial<Record<'key' | 'kind' | 'who' | 'q' | 'from' | 'to', string | null>>

export const paths = {
  home: '/settings',
  signIn: '/settings/sign-in',
  /** GET asks to confirm, so that a mail scanner that follows the link does not use it up; POST signs in. */
  signInLink: '/settings/sign-in/link',
  signInOidc: '/settings/sign-in/oidc',
  /** Where the identity provider sends people back to: the redirect URI to register with it. */
  signInOidcCallback: '/settings/sign-in/oidc/callback',
  signOut: '/settings/sign-out',
  asset: (version: string, name: string) => `/settings/assets/${version}/${name}`,

  /** GET lists; POST creates. */
  keys: (slug: string, { q = '', show = 'all', sort = 'newest', page = 1, notice = '' }: KeysQuery = {}) =>
    `${workspace(slug)}/keys${query({
      q,
      show: show === 'all' ? '' : show,
      sort: sort === 'newest' ? '' : sort,
      page: page === 1 ? '' : String(page),
      notice,
    })}`,
  /** POST, so that a key that is searched for is in no address. */
  searchKeys: (slug: string) => `${workspace(slug)}/keys/search`,
  newKey: (slug: string) => `${workspace(slug)}/keys/new`,
  key: (slug: string, id: string, action?: KeyAction) =>
    below(`${workspace(slug)}/keys/${encodeURIComponent(id)}`, action),

  /** GET lists, POST invites. */
  members: (slug: string, page = 1) => `${workspace(slug)}/members${query({ page: page === 1 ? null : String(page) })}`,
  newMember: (slug: string) => `${workspace(slug)}/members/new`,
  member: (slug: string, id: string, action?: MemberAction) =>
    below(`${workspace(slug)}/members/${encodeURIComponent(id)}`, action),
  /** The person's own; POST ends one. */
  signIns: (slug: string) => `${workspace(slug)}/sign-ins`,

  /** With `?notice=`, what was just done. */
  workspace: (slug: string, notice: string | null = null) => `${workspace(slug)}/workspace${query({ notice })}`,
  archive: (slug: string) => `${workspace(slug)}/workspace/archive`,
  restore: (slug: string) => `${workspace(slug)}/workspace/restore`,
  /** Part of the workspace's page. */
  sources: (slug: string) => `${workspace(slug)}/workspace#sources`,

  /** POST filters, so that what is searched for is checked before it is in an address. */
  audit: (slug: string, filter?: AuditFilter, before: string | null = null) =>
    `${workspace(slug)}/audit${query({ ...filter, before })}`,
  auditExport: (slug: string, format: 'csv' | 'ndjson', filter?: AuditFilter) =>
    `${workspace(slug)}/audit.${format}${query({ ...filter })}`,

  /** Private JSON, for the page that waits for a key's first request. */
  firstUse: (slug: string, id: string) =>
    `/api/workspaces/${encodeURIComponent(slug)}/keys/${encodeURIComponent(id)}/first-use`,
}

/** What a person opens to sign in with a link's token. */
export const signInLinkUrl = (baseUrl: string, token: string): string => `${baseUrl}${paths.signInLink}?token=${token}`

/** The workspace that a path names, also if there is no such page. */
export const slugIn = (path: string): string | undefined => /^\/settings\/workspaces\/([^/]+)/.exec(path)?.[1]

interface Reached {
  request: { header(name: 'host' | 'origin'): string | undefined }
  config: { publicUrl: string }
}

/** Where clients and browsers reach the service: as it is configured, or as this browser reached it. */
export function serviceUrlOf({ request, config }: Reached): string {
  if (config.publicUrl !== '') return config.publicUrl
  const host = request.header('host') ?? ''
  // The person's own browser sent it; still, only what can be a host goes into a snippet.
  if (!/^[\w.:[\]-]{1,255}$/.test(host) || redactTokens(host) !== host) return 'http://localhost'
  // Behind a proxy that speaks TLS, only the browser knows of it, and sends it with a form.
  return request.header('origin') === `https://${host}` ? `https://${host}` : `http://${host}`
}

/** Every address of the public pages. */
export const sitePaths = {
  home: '/',
  docs: '/docs',
  guide: (name: string) => `/docs/${name}`,
  api: '/docs/api',
  operation: (operationId: string) => `/docs/api/${encodeURIComponent(operationId)}`,
  schemas: '/docs/api/schemas',
  schema: (name: string) => `/docs/api/schemas#${encodeURIComponent(name)}`,
  problems: '/problems',
  problem: (code: string) => `/problems/${code}`,
  /** The codes in Markdown, for agents. */
  problemsSource: '/docs/problems/README.md',
  openApi: '/openapi.json',
  llms: '/llms.txt',
  mcp: '/v2/mcp',
}
