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
import { signInPage } from '../../src/web/sign-in/sign-in.ts'
import { archivePage } from '../../src/web/workspace/archive.ts'
import { workspacePage } from '../../src/web/workspace/details.ts'
import { agentViewModel } from './sample-agent.ts'
import { sampleConsentPages } from './sample-consent.ts'
import { sampleDeclaredPages } from './sample-declared-pages.ts'
import { sampleKeyPages } from './sample-key-pages.ts'
import { keysModel, keysModelOf, strangeKeys } from './sample-listing.ts'
import { memberPages } from './sample-members.ts'
import {
  ago,
  auditModel,
  createdKeyModel,
  createKeyModel,
  frame,
  frameIn,
  keys,
  liveKey,
  workspaceModel,
} from './sample-models.ts'
import { noticePages } from './sample-notices.ts'
import { emptyOverviewModel, overviewModel, strangeOverviewModel, unfilledOverviewModel } from './sample-overview.ts'
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
  overview: () => overviewPage(overviewModel),
  'overview-strange': () => overviewPage(strangeOverviewModel),
  'overview-unfilled': () => overviewPage(unfilledOverviewModel),
  'overview-empty': () => overviewPage(emptyOverviewModel),
  keys: () => keysPage(keysModel),
  'keys-not-found': () => keysPage(keysModelOf([], { search: 'nothing like it' }, { total: 7 })),
  'keys-strange': () => keysPage(keysModelOf(strangeKeys)),
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
  rotate: () => rotateKeyPage(frame, liveKey, '24h'),
  revoke: () => revokeKeyPage(frame, { ...liveKey, predecessor: null }),
  'revoke-selected': () => revokeSelectedPage(frame, keysModel.view, [...keys, ...strangeKeys]),
  ...sampleKeyPages,
  ...sampleRequestPages,
  ...sampleDeclaredPages,
  ...sampleConsentPages,
  'agent-view': () => agentViewPage(agentViewModel),
  audit: () => auditPage(auditModel),
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
  'workspace-archived': () => workspacePage(archivedModel),
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
  ...[
    'sign-in-oidc',
    'overview',
    'overview-empty',
    'keys',
    'create-errors',
    'created',
    'rotate',
    'key-busy',
    'agent-view',
  ],
  ...[
    'audit',
    'workspace',
    'members',
    'error',
    'create-declared',
    'consent-errors',
    'connect',
    'key-restricted',
    'notices',
  ],
  ...['requests-open', 'key-requests', 'key-leaked', 'revoke-selected', 'key-edit-seen', 'key-history', 'sign-ins'],
]
