import { auditPage } from '../../src/web/audit/audit-page.ts'
import { memberPage } from '../../src/web/keys/ask-page.ts'
import { createKeyPage } from '../../src/web/keys/create-page.ts'
import { alreadyShownPage, createdKeyPage } from '../../src/web/keys/created-page.ts'
import { keysPage } from '../../src/web/keys/list-page.ts'
import { revokeKeyPage } from '../../src/web/keys/revoke-page.ts'
import { rotateKeyPage } from '../../src/web/keys/rotate-page.ts'
import { errorPage } from '../../src/web/layout/error-page.ts'
import { signInConfirmPage, signInPage } from '../../src/web/sign-in/sign-in-page.ts'
import { sourcesPage } from '../../src/web/workspace/sources-page.ts'
import { memberPages } from './sample-members.ts'
import {
  ahead,
  auditModel,
  chrome,
  createdKeyModel,
  createKeyModel,
  keysModel,
  liveKey,
  sourcesModel,
} from './sample-models.ts'

const faulty = {
  ...createKeyModel.values,
  label: '',
  permissions: [],
  expiry: 'custom',
  expiryDate: '2020-01-01',
} as const
const lone = { ...chrome, workspaces: chrome.workspaces.slice(0, 1) }

/** Every state of every page, by a name. */
export const samplePages: Record<string, () => string> = {
  'sign-in': () => signInPage({ oidc: false, notice: null }),
  'sign-in-oidc': () => signInPage({ oidc: true, notice: { tone: 'bad', text: 'This link was used already.' } }),
  'sign-in-confirm': () => signInConfirmPage({ token: 'link-token', csrf: 'csrf' }),
  keys: () => keysPage(keysModel),
  'keys-notice': () => keysPage({ ...keysModel, notice: { tone: 'good', text: 'Revoked “Old importer”.' } }),
  'keys-found': () => keysPage({ ...keysModel, search: 'old', keys: keysModel.keys.slice(5, 6) }),
  'keys-not-found': () => keysPage({ ...keysModel, search: 'nothing like it', keys: [] }),
  'keys-empty': () => keysPage({ ...keysModel, chrome: lone, keys: [], total: 0 }),
  member: () =>
    memberPage({
      chrome: { ...lone, email: 'sam@northwind.example', role: 'member' },
      managers: [
        { email: 'priya@northwind.example', role: 'owner' },
        { email: 'tom@northwind.example', role: 'admin' },
      ],
    }),
  create: () => createKeyPage(createKeyModel),
  'create-errors': () =>
    createKeyPage({
      ...createKeyModel,
      values: { ...faulty, permissions: [], rateLimit: 'many' },
      errors: {
        label: 'Give it a label.',
        permissions: 'Choose at least one permission.',
        expiryDate: 'Choose a date in the future.',
        rateLimit: 'Must be a whole number from 1.',
      },
    }),
  created: () => createdKeyPage(createdKeyModel),
  'created-by-rotation': () =>
    createdKeyPage({ ...createdKeyModel, replaced: { label: 'Nightly report', worksUntil: ahead(86_400_000) } }),
  'already-shown': () => alreadyShownPage({ chrome, key: liveKey }),
  rotate: () => rotateKeyPage({ chrome, key: liveKey, overlap: '24h', once: 'once-2' }),
  revoke: () => revokeKeyPage({ chrome, key: liveKey }),
  audit: () => auditPage(auditModel),
  'audit-nothing': () =>
    auditPage({ ...auditModel, entries: [], older: null, filter: { key: null, kind: 'refusals' } }),
  ...memberPages,
  sources: () => sourcesPage(sourcesModel),
  'sources-none': () => sourcesPage({ chrome, sources: [] }),
  error: () =>
    errorPage({
      status: 404,
      title: 'Page not found',
      text: 'The address is wrong, or what was here is gone.',
      back: { href: '/settings', text: 'Back to the settings' },
      chrome,
    }),
  'error-signed-out': () =>
    errorPage({
      status: 403,
      title: 'This form is too old',
      text: 'Go back, reload the page and send it again.',
      back: { href: '/settings', text: 'Back to the settings' },
      chrome: null,
    }),
}
