import type { Answer, PrivateRequest } from '../operation.ts'
import { assetAnswer } from './answers.ts'
import { assetAt } from './assets.ts'
import { exportAudit, showAudit } from './audit-pages.ts'
import type { DeskHandler } from './desk.ts'
import { firstUse } from './first-use.ts'
import { goHome } from './home.ts'
import { listKeys } from './list-keys.ts'
import { makeKey, offerToMakeKey } from './make-key.ts'
import { finishOidc, startOidc } from './oidc-sign-in.ts'
import type { SettingsParts } from './parts.ts'
import { paths } from './paths.ts'
import { offerToRevokeKey, revokeKey } from './revoke-key.ts'
import { offerToRotateKey, rotateKey } from './rotate-key.ts'
import { confirmLink, followLink, showSignIn, signOut } from './sign-in.ts'

/** For whoever comes, signed in or not. */
type OpenHandler = (request: PrivateRequest, parts: SettingsParts) => Promise<Answer>

interface Handlers {
  open?: Record<string, OpenHandler>
  desk?: Record<string, DeskHandler>
}

export interface Route extends Handlers {
  names: { slug: string; id?: string | undefined }
}

const fixed: Record<string, Handlers> = {
  [paths.home]: { open: { GET: goHome } },
  [paths.signIn]: { open: { GET: showSignIn } },
  [paths.signInLink]: { open: { GET: confirmLink, POST: followLink } },
  [paths.signInOidc]: { open: { GET: startOidc } },
  [paths.signInOidcBack]: { open: { GET: finishOidc } },
  [paths.signOut]: { open: { POST: signOut } },
}

/** Below a workspace; `:id` is a key's. */
const ofWorkspace: [pattern: RegExp, handlers: Handlers][] = (
  [
    ['/settings/workspaces/:slug/keys', { desk: { GET: listKeys, POST: makeKey } }],
    ['/settings/workspaces/:slug/keys/new', { desk: { GET: offerToMakeKey } }],
    ['/settings/workspaces/:slug/keys/:id/rotate', { desk: { GET: offerToRotateKey, POST: rotateKey } }],
    ['/settings/workspaces/:slug/keys/:id/revoke', { desk: { GET: offerToRevokeKey, POST: revokeKey } }],
    ['/settings/workspaces/:slug/audit', { desk: { GET: showAudit } }],
    ['/settings/workspaces/:slug/audit.csv', { desk: { GET: exportAudit('csv') } }],
    ['/settings/workspaces/:slug/audit.ndjson', { desk: { GET: exportAudit('ndjson') } }],
    ['/api/workspaces/:slug/keys/:id/first-use', { desk: { GET: firstUse } }],
  ] as const
).map(([path, handlers]) => [patternOf(path), handlers])

export function findRoute(path: string): Route | undefined {
  const handlers = Object.hasOwn(fixed, path) ? fixed[path] : assetHandlers(path)
  if (handlers !== undefined) return { ...handlers, names: { slug: '' } }
  for (const [pattern, handlersThere] of ofWorkspace) {
    const names = pattern.exec(path)?.groups
    if (names !== undefined) return { ...handlersThere, names: { slug: names.slug ?? '', id: names.id } }
  }
  return undefined
}

function assetHandlers(path: string): Handlers | undefined {
  const asset = assetAt(path)
  return asset && { open: { GET: async (request) => assetAnswer(asset, request.header('if-none-match')) } }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
}
