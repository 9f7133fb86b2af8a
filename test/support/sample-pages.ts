import { auditPage } from '../../src/web/audit/audit.ts'
import { agentViewPage } from '../../src/web/keys/agent/view.ts'
import { createdKeyPage } from '../../src/web/keys/create/created.ts'
import { createKeyPage } from '../../src/web/keys/create/new-key.ts'
import { revokeSelectedPage } from '../../src/web/keys/life-cycle/revoke-selected.ts'
import { rotateKeyPage } from '../../src/web/keys/life-cycle/rotate.ts'
import { revokeKeyPage } from '../../src/web/keys/life-cycle/stop.ts'
import { askForKeyPage, keysPage } from '../../src/web/keys/list.ts'
import { permissionWords } from '../../src/web/keys/permissions.ts'
import { overviewPage } from '../../src/web/overview/overview.ts'
import { errorPage, PageError } from '../../src/web/responses.ts'
import { signInPage } from '../../src/web/sign-in/sign-in.ts'
import { archivePage } from '../../src/web/workspace/archive.ts'
import { workspacePage } from '../../src/web/workspace/details.ts'
import { manyResources } from './many-resources.ts'
import { agentViewModel } from './sample-agent.ts'
import { sampleConsentPages } from './sample-consent.ts'
import { sampleKeyPages } from './sample-key-pages.ts'
import { keysModel, keysModelOf } from './sample-listing.ts'
import { memberPages } from './sample-members.ts'
import {
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
import { emptyOverviewModel, overviewModel } from './sample-overview.ts'
import { sampleRequestPages } from './sample-requests.ts'

const faulty = {
  ...createKeyModel.values,
  label: '',
  permissions: [],
  expiry: 'custom',
  expiryDate: '2020-01-01',
} as const
const lone = { ...frame, workspaces: frame.workspaces.slice(0, 1) }

const signInModel = { oidc: false, passkeys: false, mail: false, csrf: 'csrf', notice: null }

/** Each kind of page, in its richest state, by a name. */
export const samplePages: Record<string, () => string> = {
  'sign-in-oidc': () =>
    signInPage({ ...signInModel, oidc: true, notice: { tone: 'bad', text: 'This link was used already.' } }),
  'sign-in-every-way': () => signInPage({ ...signInModel, oidc: true, passkeys: true, mail: true }),
  overview: () => overviewPage(overviewModel),
  'overview-empty': () => overviewPage(emptyOverviewModel),
  keys: () => keysPage(keysModel),
  'keys-not-found': () => keysPage(keysModelOf([], 'nothing like it')),
  member: () =>
    askForKeyPage({ ...lone, email: 'sam@northwind.example', role: 'member' }, [
      { email: 'priya@northwind.example', role: 'owner' },
      { email: 'tom@northwind.example', role: 'admin' },
    ]),
  create: () => createKeyPage(createKeyModel),
  'create-declared': () => createKeyPage({ ...createKeyModel, permissions: permissionWords(manyResources()) }),
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
  'revoke-selected': () => revokeSelectedPage(frame, keysModel.view, keys),
  ...sampleKeyPages,
  ...sampleRequestPages,
  ...sampleConsentPages,
  'agent-view': () => agentViewPage(agentViewModel),
  audit: () => auditPage(auditModel),
  workspace: () => workspacePage(workspaceModel),
  'workspace-conflict': () =>
    workspacePage({
      ...workspaceModel,
      sources: [],
      values: { ...workspaceModel.values, name: 'Northwind Purchasing', currency: '' },
      changedMeanwhile: ['name', 'currency'],
    }),
  archive: () => archivePage(frameIn('workspace'), 5),
  ...memberPages,
  ...noticePages,
  error: () =>
    errorPage(new PageError(404, 'Page not found', 'The address is wrong, or what was here is gone.'), frame),
  'error-signed-out': () =>
    errorPage(new PageError(403, 'This form is too old', 'Go back, reload the page and send it again.'), null),
}
