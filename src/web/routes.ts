import { redirect } from './answers.ts'
import { exportAudit, showAudit } from './audit/audit.ts'
import type { Handler, WorkspaceHandler } from './context.ts'
import { createKey, showCreateKeyForm } from './keys/create.ts'
import { firstUse } from './keys/created.ts'
import { listKeys } from './keys/list.ts'
import { revokeKey, showRevokeKeyForm } from './keys/revoke.ts'
import { rotateKey, showRotateKeyForm } from './keys/rotate.ts'
import { inviteMember, showInviteForm } from './members/invite.ts'
import { createLink } from './members/link.ts'
import { showMembers } from './members/list.ts'
import { remove, showRemoveForm } from './members/remove.ts'
import { setRole, showMember } from './members/role.ts'
import { paths } from './paths.ts'
import { handleOidcCallback, startOidc } from './sign-in/oidc.ts'
import { goHome, showLink, showSignIn, signInByLink, signOut } from './sign-in/sign-in.ts'
import { listSources } from './workspace/sources.ts'

interface Handlers {
  /** By method; for anyone, signed in or not. */
  open?: Record<string, Handler>
  /** For members of the workspace that the path names. */
  signedIn?: Record<string, WorkspaceHandler>
  /** The page of the form that POST answers, if it is at another path: signing in again leads back there. */
  form?: (names: Names) => string
  /** Whether GET is no page, but a file to be saved. */
  isDownload?: true
}

interface Names {
  slug: string
  keyId?: string | undefined
  memberId?: string | undefined
}

export interface Route extends Handlers {
  names: Names
}

const fixed: Record<string, Handlers> = {
  [paths.home]: { open: { GET: goHome } },
  [`${paths.home}/`]: { open: { GET: async () => redirect(paths.home) } },
  [paths.signIn]: { open: { GET: showSignIn } },
  [paths.signInLink]: { open: { GET: showLink, POST: signInByLink } },
  [paths.signInOidc]: { open: { GET: startOidc } },
  [paths.signInOidcCallback]: { open: { GET: handleOidcCallback } },
  [paths.signOut]: { open: { POST: signOut } },
}

const membersForm = ({ slug, memberId = '' }: Names) => paths.member(slug, memberId)

/** Below a workspace; `:keyId` names a key, `:memberId` a member. */
const ofWorkspace: [pattern: RegExp, handlers: Handlers][] = (
  [
    [
      '/settings/workspaces/:slug/keys',
      { signedIn: { GET: listKeys, POST: createKey }, form: ({ slug }) => paths.newKey(slug) },
    ],
    ['/settings/workspaces/:slug/keys/new', { signedIn: { GET: showCreateKeyForm } }],
    ['/settings/workspaces/:slug/keys/:keyId/rotate', { signedIn: { GET: showRotateKeyForm, POST: rotateKey } }],
    ['/settings/workspaces/:slug/keys/:keyId/revoke', { signedIn: { GET: showRevokeKeyForm, POST: revokeKey } }],
    ['/settings/workspaces/:slug/sources', { signedIn: { GET: listSources } }],
    ['/settings/workspaces/:slug/audit', { signedIn: { GET: showAudit } }],
    ['/settings/workspaces/:slug/audit.csv', { signedIn: { GET: exportAudit('csv') }, isDownload: true }],
    ['/settings/workspaces/:slug/audit.ndjson', { signedIn: { GET: exportAudit('ndjson') }, isDownload: true }],
    [
      '/settings/workspaces/:slug/members',
      { signedIn: { GET: showMembers, POST: inviteMember }, form: ({ slug }) => paths.newMember(slug) },
    ],
    ['/settings/workspaces/:slug/members/new', { signedIn: { GET: showInviteForm } }],
    ['/settings/workspaces/:slug/members/:memberId', { signedIn: { GET: showMember } }],
    ['/settings/workspaces/:slug/members/:memberId/role', { signedIn: { POST: setRole }, form: membersForm }],
    ['/settings/workspaces/:slug/members/:memberId/link', { signedIn: { POST: createLink }, form: membersForm }],
    ['/settings/workspaces/:slug/members/:memberId/remove', { signedIn: { GET: showRemoveForm, POST: remove } }],
    ['/api/workspaces/:slug/keys/:keyId/first-use', { signedIn: { GET: firstUse } }],
  ] satisfies [path: string, handlers: Handlers][]
).map(([path, handlers]) => [patternOf(path), handlers])

export function findRoute(path: string): Route | undefined {
  const handlers = Object.hasOwn(fixed, path) ? fixed[path] : undefined
  if (handlers !== undefined) return { ...handlers, names: { slug: '' } }
  for (const [pattern, handlersThere] of ofWorkspace) {
    const names = pattern.exec(path)?.groups
    if (names !== undefined) return { ...handlersThere, names: { ...names, slug: names.slug ?? '' } }
  }
  return undefined
}

/** The workspace that a path names, also if there is no such page. */
export const slugIn = (path: string): string | undefined => /^\/settings\/workspaces\/([^/]+)/.exec(path)?.[1]

/** The slug in the path of a page for members; undefined if there is no such page. */
export function pageAt(path: string): string | undefined {
  const route = path.startsWith(`${paths.home}/`) ? findRoute(path) : undefined
  return route?.signedIn?.GET === undefined || route.isDownload ? undefined : route.names.slug
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
}
