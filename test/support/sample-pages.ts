import { alreadyShownPage } from '../../src/web/pages/already-shown.ts'
import { auditPage } from '../../src/web/pages/audit.ts'
import { errorPage } from '../../src/web/pages/error.ts'
import { keysPage } from '../../src/web/pages/keys.ts'
import { madePage } from '../../src/web/pages/made.ts'
import { makePage } from '../../src/web/pages/make.ts'
import { memberPage } from '../../src/web/pages/member.ts'
import { revokePage } from '../../src/web/pages/revoke.ts'
import { rotatePage } from '../../src/web/pages/rotate.ts'
import { signInPage } from '../../src/web/pages/sign-in.ts'
import { signInConfirmPage } from '../../src/web/pages/sign-in-confirm.ts'
import { ahead, auditModel, chrome, keysModel, liveKey, madeModel, makeModel, NOW } from './sample-models.ts'

const faulty = { ...makeModel.values, label: '', permissions: [], expiry: 'custom', expiryDate: '2020-01-01' } as const
const lone = { ...chrome, workspaces: [chrome.workspace] }

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
      askWhom: [
        { email: 'priya@northwind.example', role: 'owner' },
        { email: 'tom@northwind.example', role: 'admin' },
      ],
    }),
  make: () => makePage(makeModel),
  'make-faults': () =>
    makePage({
      ...makeModel,
      values: { ...faulty, permissions: [], rateLimit: 'many' },
      errors: {
        label: 'Give it a label.',
        permissions: 'Choose at least one permission.',
        expiryDate: 'Choose a date in the future.',
        rateLimit: 'Must be a whole number from 1.',
      },
    }),
  made: () => madePage(madeModel),
  'made-used': () => madePage({ ...madeModel, firstUse: { at: NOW, from: 'claude-code/2.1' } }),
  'made-rotated': () =>
    madePage({ ...madeModel, replaced: { label: 'Nightly report', worksUntil: ahead(86_400_000) } }),
  'already-shown': () => alreadyShownPage({ chrome, key: liveKey }),
  rotate: () => rotatePage({ chrome, key: liveKey, overlap: '24h', once: 'once-2' }),
  revoke: () => revokePage({ chrome, key: liveKey }),
  audit: () => auditPage(auditModel),
  'audit-nothing': () =>
    auditPage({ ...auditModel, entries: [], older: null, filter: { key: null, kind: 'refusals' } }),
  error: () =>
    errorPage({
      status: 404,
      title: 'There is nothing here',
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
