/** Every address of the settings pages, in one place so that a page and its route cannot disagree. */
const workspace = (slug: string) => `/settings/workspaces/${encodeURIComponent(slug)}`
const key = (slug: string, id: string) => `${workspace(slug)}/keys/${encodeURIComponent(id)}`
const member = (slug: string, id: string) => `${workspace(slug)}/members/${encodeURIComponent(id)}`

const query = (params: Record<string, string | null>) => {
  const kept = Object.entries(params).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '')
  return kept.length === 0 ? '' : `?${new URLSearchParams(kept)}`
}

export interface AuditFilter {
  /** A key's id. */
  key: string | null
  /** One of `auditKinds`. */
  kind: string | null
}

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

  /** GET lists, with `?q=` for a search; POST creates. */
  keys: (slug: string, search = '') => `${workspace(slug)}/keys${query({ q: search })}`,
  newKey: (slug: string) => `${workspace(slug)}/keys/new`,
  key,
  rotate: (slug: string, id: string) => `${key(slug, id)}/rotate`,
  revoke: (slug: string, id: string) => `${key(slug, id)}/revoke`,

  /** GET lists, POST invites. */
  members: (slug: string, page = 1) => `${workspace(slug)}/members${query({ page: page === 1 ? null : String(page) })}`,
  newMember: (slug: string) => `${workspace(slug)}/members/new`,
  member,
  memberRole: (slug: string, id: string) => `${member(slug, id)}/role`,
  memberLink: (slug: string, id: string) => `${member(slug, id)}/link`,
  removeMember: (slug: string, id: string) => `${member(slug, id)}/remove`,

  workspace: (slug: string) => `${workspace(slug)}/workspace`,
  sources: (slug: string) => `${workspace(slug)}/sources`,

  audit: (slug: string, filter?: AuditFilter, before: string | null = null) =>
    `${workspace(slug)}/audit${query({ key: filter?.key ?? null, kind: filter?.kind ?? null, before })}`,
  auditExport: (slug: string, format: 'csv' | 'ndjson', filter?: AuditFilter) =>
    `${workspace(slug)}/audit.${format}${query({ key: filter?.key ?? null, kind: filter?.kind ?? null })}`,

  /** Private JSON, for the page that waits for a key's first request. */
  firstUse: (slug: string, id: string) =>
    `/api/workspaces/${encodeURIComponent(slug)}/keys/${encodeURIComponent(id)}/first-use`,
}

/** What a person opens to sign in with a link's token. */
export const signInLinkUrl = (baseUrl: string, token: string): string => `${baseUrl}${paths.signInLink}?token=${token}`
