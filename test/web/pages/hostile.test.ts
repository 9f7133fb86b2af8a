import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { auditPage } from '../../../src/web/audit/audit-page.ts'
import { memberPage } from '../../../src/web/keys/ask-page.ts'
import { createKeyPage } from '../../../src/web/keys/create-page.ts'
import { alreadyShownPage, createdKeyPage } from '../../../src/web/keys/created-page.ts'
import { keysPage } from '../../../src/web/keys/list-page.ts'
import { revokeKeyPage } from '../../../src/web/keys/revoke-page.ts'
import { rotateKeyPage } from '../../../src/web/keys/rotate-page.ts'
import { errorPage } from '../../../src/web/layout/error-page.ts'
import { alreadyInvitedPage, invitePage } from '../../../src/web/members/invite-page.ts'
import { linkPage } from '../../../src/web/members/link-page.ts'
import { askPage, membersPage } from '../../../src/web/members/list-page.ts'
import { removeMemberPage } from '../../../src/web/members/remove-page.ts'
import { signInConfirmPage, signInPage } from '../../../src/web/sign-in/sign-in-page.ts'
import { sourcesPage } from '../../../src/web/workspace/sources-page.ts'
import { inviteModel, linkModel, membersModel } from '../../support/sample-members.ts'
import {
  auditModel,
  chrome,
  createdKeyModel,
  createKeyModel,
  keysModel,
  liveKey,
  sourcesModel,
} from '../../support/sample-models.ts'
import { samplePages } from '../../support/sample-pages.ts'

const EVIL = `</title><script>evil()</script><img src=x onerror=evil()>"'\`&`
const evilChrome = {
  ...chrome,
  workspace: { name: EVIL, slug: EVIL },
  workspaces: [
    { name: EVIL, slug: EVIL, role: 'owner' as const },
    { name: EVIL, slug: 'b', role: 'owner' as const },
  ],
  email: EVIL,
  csrf: EVIL,
}
const evilKey = { ...liveKey, id: EVIL, label: EVIL, prefix: EVIL, createdBy: EVIL, permissions: [EVIL] }
const notice = { tone: 'bad', text: EVIL } as const

const pages: Record<string, string> = {
  'sign-in': signInPage({ oidc: true, notice }),
  'sign-in-confirm': signInConfirmPage({ token: EVIL, csrf: EVIL }),
  keys: keysPage({ ...keysModel, chrome: evilChrome, keys: [evilKey], search: EVIL, notice }),
  'keys-not-found': keysPage({ ...keysModel, chrome: evilChrome, keys: [], search: EVIL }),
  member: memberPage({ chrome: evilChrome, managers: [{ email: EVIL, role: 'owner' }] }),
  create: createKeyPage({
    ...createKeyModel,
    chrome: evilChrome,
    once: EVIL,
    permissions: [{ name: EVIL, meaning: EVIL }],
    values: { ...createKeyModel.values, label: EVIL, expiryDate: EVIL, rateLimit: EVIL, rateWindow: EVIL },
    errors: { label: EVIL, permissions: EVIL, expiryDate: EVIL, rateLimit: EVIL },
  }),
  created: createdKeyPage({
    ...createdKeyModel,
    chrome: evilChrome,
    token: EVIL,
    key: { id: EVIL, label: EVIL, permissions: [EVIL], expiresAt: null },
    serviceUrl: EVIL,
    replaced: { label: EVIL, worksUntil: null },
  }),
  'already-shown': alreadyShownPage({ chrome: evilChrome, key: evilKey }),
  rotate: rotateKeyPage({ chrome: evilChrome, key: evilKey, overlap: '24h', once: EVIL }),
  revoke: revokeKeyPage({ chrome: evilChrome, key: evilKey }),
  audit: auditPage({
    ...auditModel,
    chrome: evilChrome,
    entries: [
      { at: chrome.now, actor: EVIL, action: EVIL, subject: EVIL, label: EVIL, detail: { [EVIL]: EVIL, list: [EVIL] } },
    ],
    filter: { key: EVIL, kind: null },
    keys: [{ id: EVIL, label: EVIL, prefix: EVIL }],
    older: EVIL,
  }),
  sources: sourcesPage({
    chrome: evilChrome,
    sources: sourcesModel.sources.map((source) => ({
      ...source,
      name: EVIL,
      tableName: EVIL,
      location: EVIL,
      failure: EVIL,
    })),
  }),
  members: membersPage({
    ...membersModel,
    chrome: evilChrome,
    members: membersModel.members.map((member) => ({ ...member, id: EVIL, email: EVIL })),
    notice,
  }),
  'members-ask': askPage({ chrome: evilChrome, managers: [{ email: EVIL, role: 'owner' }], ownId: EVIL }),
  invite: invitePage({
    ...inviteModel,
    chrome: evilChrome,
    values: { email: EVIL, role: EVIL },
    errors: { email: EVIL, role: EVIL },
    once: EVIL,
  }),
  invited: linkPage({
    ...linkModel,
    chrome: evilChrome,
    member: { email: EVIL, role: 'member' },
    link: EVIL,
    companySignIn: EVIL,
  }),
  'already-invited': alreadyInvitedPage({ chrome: evilChrome, member: { id: EVIL, email: EVIL, role: 'member' } }),
  'member-remove': removeMemberPage({ chrome: evilChrome, member: { id: EVIL, email: EVIL, isSelf: false } }),
  error: errorPage({ status: 404, title: EVIL, text: EVIL, back: { href: '/settings', text: EVIL }, chrome: null }),
}

describe('nothing that someone typed becomes markup', () => {
  for (const [name, page] of Object.entries(pages))
    test(`on the page ${name}`, () => {
      assert.ok(page.includes('&#60;script&#62;evil()'), 'the text is there, escaped')
      assert.ok(!page.includes('<script>'))
      assert.ok(!page.includes('<img src=x'))
      // Every attribute that our templates open they also close: an unescaped quote would leave an odd number.
      assert.equal((page.match(/"/g) ?? []).length % 2, 0)
    })
})

describe('no page needs what the content security policy forbids', () => {
  for (const [name, page] of Object.entries(samplePages))
    test(`on the page ${name}`, () => {
      assert.equal(/<style|\sstyle=|<[^>]+\son\w+=|javascript:/.exec(page()), null)
      for (const [, attributes = ''] of page().matchAll(/<script([^>]*)>/g))
        assert.match(attributes, /src="\/settings\//)
    })
})
