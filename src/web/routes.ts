import { exportAudit, filterAudit, showAudit } from './audit/audit.ts'
import { checkBeforeSignIn, showConsent, submitConsent } from './connect/consent.ts'
import type { MinimumRole, Names, PersonHandler, RequestContext, RequestHandler, WorkspaceHandler } from './context.ts'
import { showAgentView, tryKey } from './keys/agent/view.ts'
import { showConnect } from './keys/create/connect.ts'
import { firstUse } from './keys/create/created.ts'
import { createKey, showCreateKeyForm } from './keys/create/new-key.ts'
import { showKey } from './keys/key/details.ts'
import { editKey, showEditKeyForm } from './keys/key/edit.ts'
import { showKeyHistory } from './keys/key/history.ts'
import { cancelRotation, rotateKey, showCancelRotationForm, showRotateKeyForm } from './keys/life-cycle/rotate.ts'
import { pauseKey, resumeKey, revokeKey, showPauseKeyForm, showRevokeKeyForm } from './keys/life-cycle/stop.ts'
import { listKeys, searchKeys, showSearch } from './keys/list.ts'
import { changeSeveral, showSeveral } from './keys/several.ts'
import { createLink, inviteMember, showInviteForm } from './members/invite.ts'
import { showMembers } from './members/list.ts'
import { remove, setRole, showMember, showRemoveForm } from './members/member.ts'
import { deletePasskey, enrolPasskey } from './members/passkeys.ts'
import { endOtherSession, showSignIns } from './members/sign-ins.ts'
import { sendTest, showNotices, submitNewSecret, submitNotices } from './notices/notices.ts'
import { showUnsubscribe, submitUnsubscribe } from './notices/unsubscribe.ts'
import { pollOverview, showOverview } from './overview/overview.ts'
import { paths } from './paths.ts'
import { exportRequests, filterRequests, showRequests } from './requests/requests.ts'
import { redirect } from './responses.ts'
import { mailLink } from './sign-in/mail.ts'
import { handleOidcCallback, startOidc } from './sign-in/oidc.ts'
import { signInByPasskey } from './sign-in/passkey.ts'
import { goHome, showLink, showSignIn, signInByLink, signOut } from './sign-in/sign-in.ts'
import { showArchiveForm, submitArchive, submitRestore } from './workspace/archive.ts'
import { showWorkspace, submitWorkspace } from './workspace/details.ts'
import { showWorkspaces } from './workspace/switch.ts'

/** A person is anyone who is signed in: the path belongs to no workspace. */
export type Action =
  | { role: 'anyone'; respond: RequestHandler }
  | { role: 'person'; respond: PersonHandler }
  | { role: MinimumRole; respond: WorkspaceHandler }

interface Actions {
  GET?: Action
  POST?: Action
  beforeSignIn?(context: RequestContext): Promise<void>
  /** Another site may have opened the page in a popup, and waits for it. */
  keepsOpener?: true
  /** Available while the workspace is archived; all other paths lead to the workspace page. Changes check it themselves. */
  isOpenWhenArchived?: true
  /** The path of the form's page, if it differs: signing in again leads back there. */
  form?: (names: Names) => string
  isDownload?: true
}

export interface PageRoute extends Actions {
  names: Names
}

const anyone = (respond: RequestHandler): Action => ({ role: 'anyone', respond })
const person = (respond: PersonHandler): Action => ({ role: 'person', respond })
const members = (respond: WorkspaceHandler): Action => ({ role: 'member', respond })
const managers = (respond: WorkspaceHandler): Action => ({ role: 'manager', respond })
const owners = (respond: WorkspaceHandler): Action => ({ role: 'owner', respond })

const signInPage = () => paths.signIn

const withoutWorkspace: Record<string, Actions> = {
  [paths.home]: { GET: anyone(goHome) },
  [`${paths.home}/`]: { GET: anyone(async () => redirect(paths.home)) },
  [paths.authorize]: {
    GET: person(showConsent),
    POST: person(submitConsent),
    beforeSignIn: checkBeforeSignIn,
    keepsOpener: true,
  },
  [paths.signIn]: { GET: anyone(showSignIn), keepsOpener: true },
  [paths.signInLink]: { GET: anyone(showLink), POST: anyone(signInByLink), keepsOpener: true },
  [paths.signInOidc]: { GET: anyone(startOidc), keepsOpener: true },
  [paths.signInOidcCallback]: { GET: anyone(handleOidcCallback), keepsOpener: true },
  [paths.signInMail]: { POST: anyone(mailLink), keepsOpener: true, form: signInPage },
  [paths.signInPasskey]: { POST: anyone(signInByPasskey), form: signInPage },
  [paths.signOut]: { POST: anyone(signOut) },
  [paths.unsubscribe]: { GET: anyone(showUnsubscribe), POST: anyone(submitUnsubscribe) },
}

const keyPage = ({ slug, keyId = '' }: Names) => paths.key(slug, keyId)
const memberPage = ({ slug, memberId = '' }: Names) => paths.member(slug, memberId)
const signInsPage = ({ slug }: Names) => paths.signIns(slug)

const WORKSPACE = '/settings/workspaces/:slug'
const ofWorkspace: Record<string, Actions> = {
  '': { GET: members(showOverview) },
  '/keys': { GET: members(listKeys), POST: managers(createKey), form: ({ slug }) => paths.newKey(slug) },
  '/keys/connect': { GET: managers(showConnect) },
  '/keys/new': { GET: managers(showCreateKeyForm) },
  '/keys/search': { GET: members(showSearch), POST: managers(searchKeys) },
  '/keys/several': { GET: managers(showSeveral), POST: managers(changeSeveral) },
  // This pattern also matches the paths above, so it comes after them.
  '/keys/:keyId': { GET: members(showKey) },
  '/keys/:keyId/agent': { GET: managers(showAgentView), POST: managers(tryKey) },
  '/keys/:keyId/requests': { GET: managers(showRequests), POST: managers(filterRequests) },
  '/keys/:keyId/requests.csv': { GET: managers(exportRequests('csv')), isDownload: true },
  '/keys/:keyId/requests.ndjson': { GET: managers(exportRequests('ndjson')), isDownload: true },
  '/keys/:keyId/history': { GET: managers(showKeyHistory) },
  '/keys/:keyId/edit': { GET: managers(showEditKeyForm), POST: managers(editKey) },
  '/keys/:keyId/pause': { GET: managers(showPauseKeyForm), POST: managers(pauseKey) },
  '/keys/:keyId/resume': { POST: managers(resumeKey), form: keyPage },
  '/keys/:keyId/rotate': { GET: managers(showRotateKeyForm), POST: managers(rotateKey) },
  '/keys/:keyId/cancel-rotation': { GET: managers(showCancelRotationForm), POST: managers(cancelRotation) },
  '/keys/:keyId/revoke': { GET: managers(showRevokeKeyForm), POST: managers(revokeKey) },
  '/workspace': { GET: members(showWorkspace), POST: managers(submitWorkspace), isOpenWhenArchived: true },
  '/workspace/archive': { GET: owners(showArchiveForm), POST: owners(submitArchive) },
  '/workspace/restore': {
    POST: owners(submitRestore),
    isOpenWhenArchived: true,
    form: ({ slug }) => paths.workspace(slug),
  },
  '/requests': { GET: managers(showRequests), POST: managers(filterRequests) },
  '/requests.csv': { GET: managers(exportRequests('csv')), isDownload: true },
  '/requests.ndjson': { GET: managers(exportRequests('ndjson')), isDownload: true },
  '/audit': { GET: managers(showAudit), POST: managers(filterAudit), isOpenWhenArchived: true },
  '/audit.csv': { GET: managers(exportAudit('csv')), isDownload: true, isOpenWhenArchived: true },
  '/audit.ndjson': { GET: managers(exportAudit('ndjson')), isDownload: true, isOpenWhenArchived: true },
  '/notices': { GET: managers(showNotices), POST: owners(submitNotices) },
  '/notices/secret': { POST: owners(submitNewSecret), form: ({ slug }) => paths.notices(slug) },
  '/notices/test': { POST: owners(sendTest), form: ({ slug }) => paths.notices(slug) },
  '/members': { GET: members(showMembers), POST: managers(inviteMember), form: ({ slug }) => paths.newMember(slug) },
  '/members/new': { GET: managers(showInviteForm) },
  '/members/:memberId': { GET: managers(showMember) },
  '/members/:memberId/role': { POST: managers(setRole), form: memberPage },
  '/members/:memberId/link': { POST: managers(createLink), form: memberPage },
  // Everyone may remove themselves.
  '/members/:memberId/remove': { GET: members(showRemoveForm), POST: members(remove) },
  '/workspaces': { GET: members(showWorkspaces), isOpenWhenArchived: true },
  '/sign-ins': { GET: members(showSignIns), POST: members(endOtherSession), isOpenWhenArchived: true },
  '/sign-ins/passkeys': { POST: members(enrolPasskey), isOpenWhenArchived: true, form: signInsPage },
  '/sign-ins/passkeys/remove': { POST: members(deletePasskey), isOpenWhenArchived: true, form: signInsPage },
}

const routes = Object.entries({
  ...withoutWorkspace,
  ...Object.fromEntries(Object.entries(ofWorkspace).map(([path, actions]) => [`${WORKSPACE}${path}`, actions])),
  '/api/workspaces/:slug/keys/:keyId/first-use': { GET: managers(firstUse) },
  '/api/workspaces/:slug/overview': { GET: managers(pollOverview) },
}).map(([path, actions]) => ({ pattern: patternOf(path), actions }))

export function findRoute(path: string): PageRoute | undefined {
  for (const { pattern, actions } of routes) {
    const match = pattern.exec(path)
    if (match !== null) return { ...actions, names: { slug: '', ...match.groups } }
  }
  return undefined
}

export function pageAt(path: string): string | undefined {
  const route = path.startsWith('/api/') ? undefined : findRoute(path)
  return route?.GET === undefined || route.GET.role === 'anyone' || route.isDownload ? undefined : route.names.slug
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
}
