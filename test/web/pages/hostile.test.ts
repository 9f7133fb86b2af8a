import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { attentionKinds } from '../../../src/keys/attention.ts'
import { auditPage } from '../../../src/web/audit/audit-page.ts'
import { createKeyPage } from '../../../src/web/keys/create/create.ts'
import { alreadyShownPage, createdKeyPage } from '../../../src/web/keys/create/created.ts'
import { editKeyPage } from '../../../src/web/keys/key/edit.ts'
import { keyPage } from '../../../src/web/keys/key/key.ts'
import { cancelRotationPage } from '../../../src/web/keys/life-cycle/cancel-rotation.ts'
import { pauseKeyPage } from '../../../src/web/keys/life-cycle/pause.ts'
import { refusedChangePage } from '../../../src/web/keys/life-cycle/refused-change.ts'
import { replaceKeyPage, usedKeyPage } from '../../../src/web/keys/life-cycle/replace.ts'
import { revokeKeyPage } from '../../../src/web/keys/life-cycle/revoke.ts'
import { rotateKeyPage } from '../../../src/web/keys/life-cycle/rotate.ts'
import { askForKeyPage } from '../../../src/web/keys/list/list.ts'
import { keysPage } from '../../../src/web/keys/list/list-page.ts'
import { alreadyInvitedPage, invitePage } from '../../../src/web/members/invite.ts'
import { linkPage } from '../../../src/web/members/link.ts'
import { askPage, membersPage } from '../../../src/web/members/list.ts'
import { removeMemberPage } from '../../../src/web/members/remove.ts'
import { errorPage } from '../../../src/web/responses.ts'
import { signInConfirmPage, signInPage } from '../../../src/web/sign-in/sign-in.ts'
import { workspacePage } from '../../../src/web/workspace/workspace.ts'
import { detail, editModel, keyModel } from '../../support/sample-key-pages.ts'
import { keysModelOf } from '../../support/sample-listing.ts'
import { inviteModel, linkModel, membersModel } from '../../support/sample-members.ts'
import {
  auditModel,
  chrome,
  createdKeyModel,
  createKeyModel,
  liveKey,
  workspaceModel,
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
const evilKey = {
  ...liveKey,
  id: EVIL,
  label: EVIL,
  prefix: EVIL,
  createdBy: EVIL,
  permissions: [EVIL],
  attention: [...attentionKinds],
}
const notice = { tone: 'bad', text: EVIL } as const

const pages: Record<string, string> = {
  'sign-in': signInPage({ oidc: true, notice }),
  'sign-in-confirm': signInConfirmPage({ token: EVIL, csrf: EVIL }),
  keys: keysPage({ ...keysModelOf([evilKey], { search: EVIL }), chrome: evilChrome, notice }),
  'keys-not-found': keysPage({ ...keysModelOf([], { search: EVIL }, { total: 1 }), chrome: evilChrome }),
  member: askForKeyPage({ chrome: evilChrome, managers: [{ email: EVIL, role: 'owner' }] }),
  create: createKeyPage({
    ...createKeyModel,
    chrome: evilChrome,
    once: EVIL,
    permissions: [
      {
        name: EVIL,
        meaning: EVIL,
        responses: EVIL,
        exposes: [{ what: EVIL, fields: [{ name: EVIL, description: EVIL }] }],
      },
    ],
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
  'already-shown': alreadyShownPage({ chrome: evilChrome, key: { ...evilKey, lastUsedAt: null }, once: EVIL }),
  replace: replaceKeyPage({ chrome: evilChrome, key: evilKey, once: EVIL }),
  'replace-used': usedKeyPage({ chrome: evilChrome, key: evilKey }),
  'cancel-rotation': cancelRotationPage({ chrome: evilChrome, key: detail(evilKey, { successors: [evilKey] }) }),
  'refused-change': refusedChangePage({
    chrome: evilChrome,
    key: detail(evilKey, { successors: [{ ...evilKey, lastUsedAt: null }] }),
    once: EVIL,
  }),
  rotate: rotateKeyPage({ chrome: evilChrome, key: evilKey, overlap: '24h', once: EVIL }),
  revoke: revokeKeyPage({ chrome: evilChrome, key: { ...evilKey, predecessor: evilKey } }),
  key: keyPage({
    ...keyModel,
    chrome: evilChrome,
    key: detail(evilKey, {
      callers: [{ address: EVIL, agent: EVIL, count: 1, firstAt: chrome.now, lastAt: chrome.now }],
      predecessor: evilKey,
      successors: [evilKey],
    }),
    entries: [
      { at: chrome.now, actor: EVIL, action: EVIL, subject: EVIL, label: EVIL, detail: { [EVIL]: EVIL, list: [EVIL] } },
    ],
    exampleUrl: EVIL,
    notice,
  }),
  'key-edit': editKeyPage({
    ...editModel,
    chrome: evilChrome,
    id: EVIL,
    key: { ...editModel.key, label: EVIL },
    values: { label: EVIL, expiry: 'custom', expiryDate: EVIL, rateLimit: EVIL, rateWindow: EVIL },
    errors: { label: EVIL, expiryDate: EVIL, rateLimit: EVIL },
    changedSince: { ...editModel.key, label: `old ${EVIL}` },
    today: EVIL,
  }),
  'key-pause': pauseKeyPage({ chrome: evilChrome, key: evilKey }),
  audit: auditPage({
    ...auditModel,
    chrome: evilChrome,
    groups: [
      [
        {
          at: chrome.now,
          actor: EVIL,
          action: EVIL,
          subject: EVIL,
          label: EVIL,
          detail: { [EVIL]: EVIL, list: [EVIL], before: { [EVIL]: EVIL }, after: { [EVIL]: EVIL } },
        },
      ],
    ],
    fields: { key: EVIL, kind: EVIL, who: EVIL, q: EVIL, from: EVIL, to: EVIL },
    errors: { q: EVIL, to: EVIL },
    people: [EVIL],
    keys: [{ id: EVIL, label: EVIL, prefix: EVIL }],
    older: EVIL,
  }),
  workspace: workspacePage({
    ...workspaceModel,
    chrome: evilChrome,
    record: { ...workspaceModel.record, name: EVIL, slug: EVIL },
    values: { name: EVIL, timezone: EVIL, currency: EVIL, country: EVIL },
    conflict: { name: 'x', timezone: 'x', currency: 'x', country: EVIL },
    errors: { name: EVIL },
    owners: [EVIL],
    writers: [{ table: 'tasks', program: EVIL }],
    sources:
      workspaceModel.sources?.map((source) => ({
        ...source,
        name: EVIL,
        tableName: EVIL,
        location: EVIL,
        failure: EVIL,
      })) ?? null,
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
