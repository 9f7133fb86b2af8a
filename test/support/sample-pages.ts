import { auditPage } from '../../src/web/audit/audit.ts'
import { agentViewPage } from '../../src/web/keys/agent/view.ts'
import { createdKeyPage } from '../../src/web/keys/create/created.ts'
import { createKeyPage } from '../../src/web/keys/create/new-key.ts'
import { revokeSelectedPage } from '../../src/web/keys/life-cycle/revoke-selected.ts'
import { rotateKeyPage } from '../../src/web/keys/life-cycle/rotate.ts'
import { revokeKeyPage } from '../../src/web/keys/life-cycle/stop.ts'
import { askForKeyPage, keysPage } from '../../src/web/keys/list.ts'
import { overviewPage } from '../../src/web/overview/overview.ts'
import { errorPage, PageError } from '../../src/web/responses.ts'
import { signInConfirmPage, signInPage } from '../../src/web/sign-in/sign-in.ts'
import { archivePage } from '../../src/web/workspace/archive.ts'
import { workspacePage } from '../../src/web/workspace/details.ts'
import { agentViewModel, poorAgentViewModel } from './sample-agent.ts'
import { sampleConsentPages } from './sample-consent.ts'
import { sampleDeclaredPages } from './sample-declared-pages.ts'
import { sampleKeyPages } from './sample-key-pages.ts'
import { keysModel, keysModelOf, manyKeysModel, strangeKeys } from './sample-listing.ts'
import { memberPages } from './sample-members.ts'
import {
  ago,
  ahead,
  auditModel,
  createdKeyModel,
  createKeyModel,
  frame,
  frameIn,
  keys,
  liveKey,
  noticed,
  workspaceModel,
} from './sample-models.ts'
import { noticePages } from './sample-notices.ts'
import {
  emptyOverviewModel,
  overviewModel,
  quietOverviewModel,
  strangeOverviewModel,
  unfilledOverviewModel,
} from './sample-overview.ts'
import { sampleRequestPages } from './sample-requests.ts'

const faulty = {
  ...createKeyModel.values,
  label: '',
  permissions: [],
  expiry: 'custom',
  expiryDate: '2020-01-01',
} as const
const lone = { ...frame, workspaces: frame.workspaces.slice(0, 1) }

const archivedModel = {
  ...workspaceModel,
  record: { ...workspaceModel.record, currencyCode: null, archivedAt: ago(3_600_000) },
  mayEdit: false,
}

const signInModel = { oidc: false, passkeys: false, mail: false, csrf: 'csrf', notice: null }

/** Every state of every page, by a name. */
export const samplePages: Record<string, () => string> = {
  'sign-in': () => signInPage(signInModel),
  'sign-in-oidc': () =>
    signInPage({ ...signInModel, oidc: true, notice: { tone: 'bad', text: 'This link was used already.' } }),
  'sign-in-every-way': () => signInPage({ ...signInModel, oidc: true, passkeys: true, mail: true }),
  'sign-in-confirm': () => signInConfirmPage({ token: 'link-token', csrf: 'csrf', email: 'ana@acme.example' }),
  overview: () => overviewPage(overviewModel),
  'overview-quiet': () => overviewPage({ ...quietOverviewModel, frame: { ...lone, section: 'overview' } }),
  'overview-strange': () => overviewPage(strangeOverviewModel),
  'overview-unfilled': () => overviewPage(unfilledOverviewModel),
  'overview-empty': () => overviewPage(emptyOverviewModel),
  keys: () => keysPage(keysModel),
  'keys-notice': () =>
    keysPage({
      ...keysModelOf(keys.slice(0, 2), { page: 5 }, { page: 5, pages: 10 }),
      frame: noticed('good', 'Revoked “Old importer”.'),
    }),
  'keys-found': () => keysPage(keysModelOf(keys.slice(5, 6), { search: 'old' })),
  'keys-not-found': () => keysPage(keysModelOf([], { search: 'nothing like it' }, { total: 7 })),
  'keys-attention': () => keysPage(keysModelOf(keys.slice(2, 5), { show: 'attention' })),
  'keys-strange': () => keysPage(keysModelOf(strangeKeys)),
  'keys-many': () => keysPage(manyKeysModel),
  'keys-empty': () => keysPage({ ...keysModelOf([]), frame: lone }),
  member: () =>
    askForKeyPage({ ...lone, email: 'sam@northwind.example', role: 'member' }, [
      { email: 'priya@northwind.example', role: 'owner' },
      { email: 'tom@northwind.example', role: 'admin' },
    ]),
  create: () => createKeyPage(createKeyModel),
  'create-errors': () =>
    createKeyPage({
      ...createKeyModel,
      values: { ...faulty, permissions: [], rateLimit: 'many' },
      errors: {
        label: 'Give it a label.',
        permissions: 'Choose at least one permission.',
        expiryDate: 'Choose today or a later date.',
        rateLimit: 'Use whole numbers: at least 1 request, in 1 to 86400 seconds. Or leave the requests empty.',
      },
    }),
  created: () => createdKeyPage(createdKeyModel),
  'created-unfilled': () => createdKeyPage({ ...createdKeyModel, unfilled: [{ name: 'tasks', singular: 'task' }] }),
  'created-by-rotation': () =>
    createdKeyPage({ ...createdKeyModel, replaced: { label: 'Nightly report', worksUntil: ahead(86_400_000) } }),
  rotate: () => rotateKeyPage(frame, liveKey, '24h'),
  revoke: () => revokeKeyPage(frame, { ...liveKey, predecessor: null }),
  'revoke-selected': () => revokeSelectedPage(frame, keysModel.view, [...keys, ...strangeKeys]),
  ...sampleKeyPages,
  ...sampleRequestPages,
  ...sampleDeclaredPages,
  ...sampleConsentPages,
  'agent-view': () => agentViewPage(agentViewModel),
  'agent-view-poor': () => agentViewPage(poorAgentViewModel),
  audit: () => auditPage(auditModel),
  'audit-nothing': () =>
    auditPage({ ...auditModel, groups: [], older: null, fields: { ...auditModel.fields, kind: 'refusals' } }),
  'audit-cut': () =>
    auditPage({
      ...auditModel,
      groups: auditModel.groups.slice(0, 1),
      fields: { ...auditModel.fields, q: 'rotated', who: 'priya', from: '2026-11-01', to: '2026-11-15' },
      isFirst: false,
      isCut: true,
    }),
  'audit-key': () => auditPage({ ...auditModel, key: liveKey, fields: { ...auditModel.fields, key: liveKey.id } }),
  'audit-errors': () =>
    auditPage({
      ...auditModel,
      groups: [],
      older: null,
      fields: { ...auditModel.fields, from: '2026-11-15', to: '2026-11-01' },
      errors: { to: 'The last day is before the first. Swap them.' },
    }),
  workspace: () => workspacePage(workspaceModel),
  'workspace-errors': () =>
    workspacePage({
      ...workspaceModel,
      sources: [],
      values: { ...workspaceModel.values, name: '', timezone: 'Europe/Londn' },
      errors: {
        name: 'The name must be 1 to 200 characters, on one line.',
        timezone: '"Europe/Londn" is not an IANA timezone; give one such as Europe/London or UTC.',
      },
    }),
  'workspace-conflict': () =>
    workspacePage({
      ...workspaceModel,
      sources: [],
      values: { ...workspaceModel.values, name: 'Northwind Purchasing', currency: '' },
      changedMeanwhile: ['name', 'currency'],
    }),
  'workspace-member': () =>
    workspacePage({
      ...workspaceModel,
      frame: { ...lone, section: 'workspace', role: 'member' },
      sources: null,
      mayEdit: false,
    }),
  'workspace-archived': () => workspacePage(archivedModel),
  'workspace-archived-admin': () =>
    workspacePage({ ...archivedModel, frame: { ...frameIn('workspace'), role: 'admin' } }),
  archive: () => archivePage(frameIn('workspace'), 5),
  ...memberPages,
  ...noticePages,
  error: () =>
    errorPage(new PageError(404, 'Page not found', 'The address is wrong, or what was here is gone.'), frame),
  'error-signed-out': () =>
    errorPage(new PageError(403, 'This form is too old', 'Go back, reload the page and send it again.'), null),
}

/** One of each kind of page, in its richest state: every test run opens these in a browser. The long tests open all. */
export const corePages: readonly string[] = [
  'sign-in-oidc',
  'overview',
  'overview-strange',
  'overview-empty',
  'keys',
  'keys-empty',
  'create-errors',
  'created',
  'rotate',
  'key-busy',
  'agent-view',
  'audit',
  'workspace',
  'archive',
  'members',
  'error',
  'create-declared',
  'key-declared',
  'consent-errors',
  'connect',
  'key-restricted',
  'notices',
  'notices-errors',
  'unsubscribe',
  'requests',
  'key-requests',
  'key-history',
  'key-leaked',
  'revoke-selected',
  'key-edit-seen',
]
