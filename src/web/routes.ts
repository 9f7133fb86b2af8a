import { exportAudit, filterAudit, showAudit } from './audit/audit.ts'
import { checkBeforeSignIn, showConsent, submitConsent } from './connect/consent.ts'
import type { MinimumRole, Names, PersonHandler, RequestContext, RequestHandler, WorkspaceHandler } from './context.ts'
import { showAgentView } from './keys/agent/view.ts'
import { showConnect } from './keys/create/connect.ts'
import { firstUse } from './keys/create/created.ts'
import { createKey, showCreateKeyForm } from './keys/create/new-key.ts'
import { showKey } from './keys/key/details.ts'
import { editKey, showEditKeyForm } from './keys/key/edit.ts'
import { showKeyHistory } from './keys/key/history.ts'
import { revokeSelected, showRevokeSelectedForm } from './keys/life-cycle/revoke-selected.ts'
import { cancelRotation, rotateKey, showCancelRotationForm, showRotateKeyForm } from './keys/life-cycle/rotate.ts'
import { pauseKey, resumeKey, revokeKey, showPauseKeyForm, showRevokeKeyForm } from './keys/life-cycle/stop.ts'
import { listKeys } from './keys/list.ts'
import { searchKeys, showSearch } from './keys/search.ts'
import { createLink, inviteMember, showInviteForm } from './members/invite.ts'
import { showMembers } from './members/list.ts'
import { remove, setRole, showMember, showRemoveForm } from './members/member.ts'
import { deletePasskey, endOtherSession, enrolPasskey, showSignIns } from './members/sign-ins.ts'
import { sendTest, showNotices, submitNewSecret, submitNotices } from './notices/notices.ts'
import { showUnsubscribe, submitUnsubscribe } from './notices/unsubscribe.ts'
import { showOverview } from './overview/overview.ts'
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
const download = (respond: WorkspaceHandler): Actions => ({ GET: managers(respond), isDownload: true })

const signInPage = () => paths.signIn
const keyPage = ({ slug, keyId = '' }: Names) => paths.key(slug, keyId)
const memberPage = ({ slug, memberId = '' }: Names) => paths.member(slug, memberId)
const at =
  (path: (slug: string) => string) =>
  ({ slug }: Names) =>
    path(slug)

/** In a pattern, each stands for any name. */
const [SLUG, KEY, MEMBER] = [':slug', ':keyId', ':memberId']

const actionsByPath: Record<string, Actions> = {
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
  [paths.overview(SLUG)]: { GET: members(showOverview) },
  [paths.keys(SLUG)]: { GET: members(listKeys), POST: managers(createKey), form: at(paths.newKey) },
  [paths.connect(SLUG)]: { GET: managers(showConnect) },
  [paths.newKey(SLUG)]: { GET: managers(showCreateKeyForm) },
  [paths.searchKeys(SLUG)]: { GET: members(showSearch), POST: managers(searchKeys) },
  [paths.revokeSelected(SLUG)]: { GET: managers(showRevokeSelectedForm), POST: managers(revokeSelected) },
  // This pattern also matches the paths above, so it comes after them.
  [paths.key(SLUG, KEY)]: { GET: members(showKey) },
  [paths.key(SLUG, KEY, 'agent')]: { GET: managers(showAgentView) },
  [paths.key(SLUG, KEY, 'history')]: { GET: managers(showKeyHistory) },
  [paths.key(SLUG, KEY, 'edit')]: { GET: managers(showEditKeyForm), POST: managers(editKey) },
  [paths.key(SLUG, KEY, 'pause')]: { GET: managers(showPauseKeyForm), POST: managers(pauseKey) },
  [paths.key(SLUG, KEY, 'resume')]: { POST: managers(resumeKey), form: keyPage },
  [paths.key(SLUG, KEY, 'rotate')]: { GET: managers(showRotateKeyForm), POST: managers(rotateKey) },
  [paths.key(SLUG, KEY, 'cancel-rotation')]: { GET: managers(showCancelRotationForm), POST: managers(cancelRotation) },
  [paths.key(SLUG, KEY, 'revoke')]: { GET: managers(showRevokeKeyForm), POST: managers(revokeKey) },
  [paths.firstUse(SLUG, KEY)]: { GET: managers(firstUse) },
  [paths.requests(SLUG, KEY)]: { GET: managers(showRequests), POST: managers(filterRequests) },
  [paths.requests(SLUG, KEY, {}, 'csv')]: download(exportRequests('csv')),
  [paths.requests(SLUG, KEY, {}, 'ndjson')]: download(exportRequests('ndjson')),
  [paths.requests(SLUG)]: { GET: managers(showRequests), POST: managers(filterRequests) },
  [paths.requests(SLUG, undefined, {}, 'csv')]: download(exportRequests('csv')),
  [paths.requests(SLUG, undefined, {}, 'ndjson')]: download(exportRequests('ndjson')),
  [paths.audit(SLUG)]: { GET: managers(showAudit), POST: managers(filterAudit), isOpenWhenArchived: true },
  [paths.audit(SLUG, {}, 'csv')]: { ...download(exportAudit('csv')), isOpenWhenArchived: true },
  [paths.audit(SLUG, {}, 'ndjson')]: { ...download(exportAudit('ndjson')), isOpenWhenArchived: true },
  [paths.notices(SLUG)]: { GET: managers(showNotices), POST: owners(submitNotices) },
  [paths.notices(SLUG, 'secret')]: { POST: owners(submitNewSecret), form: at(paths.notices) },
  [paths.notices(SLUG, 'test')]: { POST: owners(sendTest), form: at(paths.notices) },
  [paths.members(SLUG)]: { GET: members(showMembers), POST: managers(inviteMember), form: at(paths.newMember) },
  [paths.newMember(SLUG)]: { GET: managers(showInviteForm) },
  [paths.member(SLUG, MEMBER)]: { GET: managers(showMember) },
  [paths.member(SLUG, MEMBER, 'role')]: { POST: managers(setRole), form: memberPage },
  [paths.member(SLUG, MEMBER, 'link')]: { POST: managers(createLink), form: memberPage },
  // Everyone may remove themselves.
  [paths.member(SLUG, MEMBER, 'remove')]: { GET: members(showRemoveForm), POST: members(remove) },
  [paths.signIns(SLUG)]: { GET: members(showSignIns), POST: members(endOtherSession), isOpenWhenArchived: true },
  [paths.passkeys(SLUG)]: { POST: members(enrolPasskey), isOpenWhenArchived: true, form: at(paths.signIns) },
  [paths.removePasskey(SLUG)]: { POST: members(deletePasskey), isOpenWhenArchived: true, form: at(paths.signIns) },
  [paths.workspace(SLUG)]: { GET: members(showWorkspace), POST: managers(submitWorkspace), isOpenWhenArchived: true },
  [paths.workspaces(SLUG)]: { GET: members(showWorkspaces), isOpenWhenArchived: true },
  [paths.archive(SLUG)]: { GET: owners(showArchiveForm), POST: owners(submitArchive) },
  [paths.restore(SLUG)]: { POST: owners(submitRestore), isOpenWhenArchived: true, form: at(paths.workspace) },
}

const routes = Object.entries(actionsByPath).map(([path, actions]) => ({ pattern: patternOf(path), actions }))

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

/** `paths` encodes the colons. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/%3A(\w+)/g, '(?<$1>[^/]+)')}$`)
}
