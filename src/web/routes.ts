import { assetAnswer } from './answers.ts'
import { assetAt } from './assets.ts'
import { exportAudit, filterAudit, showAudit } from './audit/audit.ts'
import type { Handler, WorkspaceHandler } from './context.ts'
import { createKey, showCreateKeyForm } from './keys/create.ts'
import { firstUse } from './keys/created.ts'
import { editKey, showEditKeyForm } from './keys/edit.ts'
import { listKeys } from './keys/list.ts'
import { pauseKey, resumeKey, showPauseKeyForm } from './keys/pause.ts'
import { revokeKey, showRevokeKeyForm } from './keys/revoke.ts'
import { rotateKey, showRotateKeyForm } from './keys/rotate.ts'
import { showKey } from './keys/show.ts'
import { paths } from './paths.ts'
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
}

export interface Route extends Handlers {
  names: { slug: string; keyId?: string | undefined }
}

const fixed: Record<string, Handlers> = {
  [paths.home]: { open: { GET: goHome } },
  [paths.signIn]: { open: { GET: showSignIn } },
  [paths.signInLink]: { open: { GET: showLink, POST: signInByLink } },
  [paths.signInOidc]: { open: { GET: startOidc } },
  [paths.signInOidcCallback]: { open: { GET: handleOidcCallback } },
  [paths.signOut]: { open: { POST: signOut } },
}

/** Below a workspace; `:keyId` names a key. */
const ofWorkspace: [pattern: RegExp, handlers: Handlers][] = (
  [
    ['/settings/workspaces/:slug/keys', { signedIn: { GET: listKeys, POST: createKey } }],
    ['/settings/workspaces/:slug/keys/new', { signedIn: { GET: showCreateKeyForm } }],
    ['/settings/workspaces/:slug/keys/:keyId/edit', { signedIn: { GET: showEditKeyForm, POST: editKey } }],
    ['/settings/workspaces/:slug/keys/:keyId/pause', { signedIn: { GET: showPauseKeyForm, POST: pauseKey } }],
    ['/settings/workspaces/:slug/keys/:keyId/resume', { signedIn: { POST: resumeKey } }],
    ['/settings/workspaces/:slug/keys/:keyId/rotate', { signedIn: { GET: showRotateKeyForm, POST: rotateKey } }],
    ['/settings/workspaces/:slug/keys/:keyId/revoke', { signedIn: { GET: showRevokeKeyForm, POST: revokeKey } }],
    [
      '/settings/workspaces/:slug/workspace',
      { signedIn: { GET: showWorkspace, POST: updateWorkspace }, isOpenWhenArchived: true },
    ],
    ['/settings/workspaces/:slug/workspace/archive', { signedIn: { GET: showArchiveForm, POST: archiveWorkspace } }],
    [
      '/settings/workspaces/:slug/workspace/restore',
      { signedIn: { POST: restoreWorkspace }, isOpenWhenArchived: true },
    ],
    ['/settings/workspaces/:slug/sources', { signedIn: { GET: showSources } }],
    ['/settings/workspaces/:slug/audit', { signedIn: { GET: showAudit, POST: filterAudit } }],
    ['/settings/workspaces/:slug/audit.csv', { signedIn: { GET: exportAudit('csv') } }],
    ['/settings/workspaces/:slug/audit.ndjson', { signedIn: { GET: exportAudit('ndjson') } }],
    ['/api/workspaces/:slug/keys/:keyId/first-use', { signedIn: { GET: firstUse } }],
    // Last: it also fits the other pages right below the keys.
    ['/settings/workspaces/:slug/keys/:keyId', { signedIn: { GET: showKey } }],
  ] as const
).map(([path, handlers]) => [patternOf(path), handlers])

export function findRoute(path: string): Route | undefined {
  const handlers = Object.hasOwn(fixed, path) ? fixed[path] : assetHandlers(path)
  if (handlers !== undefined) return { ...handlers, names: { slug: '' } }
  for (const [pattern, handlersThere] of ofWorkspace) {
    const names = pattern.exec(path)?.groups
    if (names !== undefined) return { ...handlersThere, names: { slug: names.slug ?? '', keyId: names.keyId } }
  }
  return undefined
}

function assetHandlers(path: string): Handlers | undefined {
  const asset = assetAt(path)
  return asset && { open: { GET: async ({ request }) => assetAnswer(asset, request.header('if-none-match')) } }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
}
