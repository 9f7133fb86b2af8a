import { exportAudit, filterAudit, showAudit } from './audit/audit.ts'
import type { Handler, WorkspaceHandler } from './context.ts'
import { showAgentView, tryKey } from './keys/agent/view.ts'
import { createKey, showCreateKeyForm } from './keys/create/create.ts'
import { firstUse } from './keys/create/created.ts'
import { editKey, showEditKeyForm } from './keys/key/edit.ts'
import { showKey } from './keys/key/key.ts'
import { cancelRotation, showCancelRotationForm } from './keys/life-cycle/cancel-rotation.ts'
import { pauseKey, resumeKey, showPauseKeyForm } from './keys/life-cycle/pause.ts'
import { explainingRefusals } from './keys/life-cycle/refused-change.ts'
import { replaceKey, showReplaceKeyForm } from './keys/life-cycle/replace.ts'
import { revokeKey, showRevokeKeyForm } from './keys/life-cycle/revoke.ts'
import { rotateKey, showRotateKeyForm } from './keys/life-cycle/rotate.ts'
import { listKeys } from './keys/list/list.ts'
import { searchKeys, showSearch } from './keys/list/search.ts'
import { inviteMember, showInviteForm } from './members/invite.ts'
import { createLink } from './members/link.ts'
import { showMembers } from './members/list.ts'
import { setRole, showMember } from './members/member.ts'
import { remove, showRemoveForm } from './members/remove.ts'
import { endOtherSession, showSignIns } from './members/sign-ins.ts'
import { paths } from './paths.ts'
import { redirect } from './responses.ts'
import { handleOidcCallback, startOidc } from './sign-in/oidc.ts'
import { goHome, showLink, showSignIn, signInByLink, signOut } from './sign-in/sign-in.ts'
import { archiveWorkspace, restoreWorkspace, showArchiveForm } from './workspace/archive.ts'
import { showSources } from './workspace/sources.ts'
import { updateWorkspace } from './workspace/update.ts'
import { showWorkspace } from './workspace/workspace.ts'

interface Handlers {
  /** By method; for anyone, signed in or not. */
  open?: Record<string, Handler>
  /** For members of the workspace that the path names. */
  signedIn?: Record<string, WorkspaceHandler>
  /** Other paths of an archived workspace lead to its page. */
  isOpenWhenArchived?: true
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

const keysForm = ({ slug, keyId = '' }: Names) => paths.key(slug, keyId)
const membersForm = ({ slug, memberId = '' }: Names) => paths.member(slug, memberId)

/** Below a workspace; `:keyId` names a key, `:memberId` a member. */
const ofWorkspace: [pattern: RegExp, handlers: Handlers][] = (
  [
    [
      '/settings/workspaces/:slug/keys',
      { signedIn: { GET: listKeys, POST: createKey }, form: ({ slug }) => paths.newKey(slug) },
    ],
    ['/settings/workspaces/:slug/keys/new', { signedIn: { GET: showCreateKeyForm } }],
    ['/settings/workspaces/:slug/keys/:keyId/agent', { signedIn: { GET: showAgentView, POST: tryKey } }],
    ['/settings/workspaces/:slug/keys/:keyId/edit', { signedIn: { GET: showEditKeyForm, POST: editKey } }],
    ['/settings/workspaces/:slug/keys/:keyId/pause', { signedIn: { GET: showPauseKeyForm, POST: pauseKey } }],
    ['/settings/workspaces/:slug/keys/:keyId/resume', { signedIn: { POST: resumeKey }, form: keysForm }],
    ['/settings/workspaces/:slug/keys/search', { signedIn: { GET: showSearch, POST: searchKeys } }],
    ['/settings/workspaces/:slug/keys/:keyId/rotate', { signedIn: { GET: showRotateKeyForm, POST: rotateKey } }],
    ['/settings/workspaces/:slug/keys/:keyId/replace', { signedIn: { GET: showReplaceKeyForm, POST: replaceKey } }],
    [
      '/settings/workspaces/:slug/keys/:keyId/cancel-rotation',
      { signedIn: { GET: showCancelRotationForm, POST: cancelRotation } },
    ],
    ['/settings/workspaces/:slug/keys/:keyId/revoke', { signedIn: { GET: showRevokeKeyForm, POST: revokeKey } }],
    [
      '/settings/workspaces/:slug/workspace',
      { signedIn: { GET: showWorkspace, POST: updateWorkspace }, isOpenWhenArchived: true },
    ],
    ['/settings/workspaces/:slug/workspace/archive', { signedIn: { GET: showArchiveForm, POST: archiveWorkspace } }],
    [
      '/settings/workspaces/:slug/workspace/restore',
      {
        signedIn: { POST: restoreWorkspace },
        isOpenWhenArchived: true,
        form: ({ slug }) => paths.workspace(slug),
      },
    ],
    ['/settings/workspaces/:slug/sources', { signedIn: { GET: showSources } }],
    ['/settings/workspaces/:slug/audit', { signedIn: { GET: showAudit, POST: filterAudit } }],
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
    [
      '/settings/workspaces/:slug/sign-ins',
      { signedIn: { GET: showSignIns, POST: endOtherSession }, isOpenWhenArchived: true },
    ],
    ['/api/workspaces/:slug/keys/:keyId/first-use', { signedIn: { GET: firstUse } }],
    // Last: it also fits the other pages right below the keys.
    ['/settings/workspaces/:slug/keys/:keyId', { signedIn: { GET: showKey } }],
  ] satisfies [path: string, handlers: Handlers][]
).map(([path, handlers]) => [patternOf(path), path.includes(':keyId') ? ofKey(handlers) : handlers])

/** Whatever changes a key may find that it can no longer be changed so. */
function ofKey({ signedIn = {}, ...rest }: Handlers): Handlers {
  const entries = Object.entries(signedIn).map(([method, handler]) => [method, explainingRefusals(handler)])
  return { ...rest, signedIn: Object.fromEntries(entries) }
}

export function findRoute(path: string): Route | undefined {
  const handlers = Object.hasOwn(fixed, path) ? fixed[path] : undefined
  if (handlers !== undefined) return { ...handlers, names: { slug: '' } }
  for (const [pattern, handlersThere] of ofWorkspace) {
    const names = pattern.exec(path)?.groups
    if (names !== undefined) return { ...handlersThere, names: { ...names, slug: names.slug ?? '' } }
  }
  return undefined
}

/** The slug in the path of a page for members; undefined if there is no such page. */
export function pageAt(path: string): string | undefined {
  const route = path.startsWith(`${paths.home}/`) ? findRoute(path) : undefined
  return route?.signedIn?.GET === undefined || route.isDownload ? undefined : route.names.slug
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
}
