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
import { removeMemberPage } from '../../../src/web/members/member.ts'
import { errorPage, PageError } from '../../../src/web/responses.ts'
import { signInConfirmPage, signInPage } from '../../../src/web/sign-in/sign-in.ts'
import { workspacePage } from '../../../src/web/workspace/workspace.ts'
import { detail, editModel, keyModel } from '../../support/sample-key-pages.ts'
import { keysModelOf } from '../../support/sample-listing.ts'
import { inviteModel, linkModel, membersModel } from '../../support/sample-members.ts'
import {
  auditModel,
  createdKeyModel,
  createKeyModel,
  frame,
  liveKey,
  workspaceModel,
} from '../../support/sample-models.ts'
import { samplePages } from '../../support/sample-pages.ts'

const EVIL = `</title><script>evil()</script><img src=x onerror=evil()>"'\`&`
const evilFrame = {
  ...frame,
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
  'sign-in-confirm': signInConfirmPage(EVIL, EVIL),
  keys: keysPage({ ...keysModelOf([evilKey], { search: EVIL }), frame: evilFrame, notice }),
  'keys-not-found': keysPage({ ...keysModelOf([], { search: EVIL }, { total: 1 }), frame: evilFrame }),
  member: askForKeyPage(evilFrame, [{ email: EVIL, role: 'owner' }]),
  create: createKeyPage({
    ...createKeyModel,
    frame: evilFrame,
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
    frame: evilFrame,
    token: EVIL,
    key: { id: EVIL, label: EVIL, permissions: [EVIL], expiresAt: null },
    serviceUrl: EVIL,
    replaced: { label: EVIL, worksUntil: null },
  }),
  'already-shown': alreadyShownPage(evilFrame, { ...evilKey, lastUsedAt: null }, EVIL),
  replace: replaceKeyPage(evilFrame, evilKey, EVIL),
  'replace-used': usedKeyPage(evilFrame, evilKey),
  'cancel-rotation': cancelRotationPage(evilFrame, detail(evilKey, { successors: [evilKey] })),
  'refused-change': refusedChangePage(
    evilFrame,
    detail(evilKey, { successors: [{ ...evilKey, lastUsedAt: null }] }),
    EVIL,
  ),
  rotate: rotateKeyPage(evilFrame, evilKey, '24h', EVIL),
  revoke: revokeKeyPage(evilFrame, { ...evilKey, predecessor: evilKey }),
  key: keyPage({
    ...keyModel,
    frame: evilFrame,
    key: detail(evilKey, {
      callers: [{ address: EVIL, agent: EVIL, count: 1, firstAt: frame.now, lastAt: frame.now }],
      predecessor: evilKey,
      successors: [evilKey],
    }),
    entries: [
      { at: frame.now, actor: EVIL, action: EVIL, subject: EVIL, label: EVIL, detail: { [EVIL]: EVIL, list: [EVIL] } },
    ],
    exampleUrl: EVIL,
    notice,
  }),
  'key-edit': editKeyPage({
    ...editModel,
    frame: evilFrame,
    id: EVIL,
    key: { ...editModel.key, label: EVIL },
    values: { label: EVIL, expiry: 'custom', expiryDate: EVIL, rateLimit: EVIL, rateWindow: EVIL },
    errors: { label: EVIL, expiryDate: EVIL, rateLimit: EVIL },
    changedSince: { ...editModel.key, label: `old ${EVIL}` },
  }),
  'key-pause': pauseKeyPage(evilFrame, evilKey),
  audit: auditPage({
    ...auditModel,
    frame: evilFrame,
    groups: [
      [
        {
          at: frame.now,
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
    frame: evilFrame,
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
    frame: evilFrame,
    members: membersModel.members.map((member) => ({ ...member, id: EVIL, email: EVIL })),
    notice,
  }),
  'members-ask': askPage(evilFrame, [{ email: EVIL, role: 'owner' }], EVIL),
  invite: invitePage({
    ...inviteModel,
    frame: evilFrame,
    values: { email: EVIL, role: EVIL },
    errors: { email: EVIL, role: EVIL },
    once: EVIL,
  }),
  invited: linkPage({
    ...linkModel,
    frame: evilFrame,
    member: { email: EVIL, role: 'member' },
    link: EVIL,
    companySignIn: EVIL,
  }),
  'already-invited': alreadyInvitedPage(evilFrame, { email: EVIL, role: 'member' }),
  'member-remove': removeMemberPage(evilFrame, EVIL, false),
  error: errorPage(new PageError(404, EVIL, EVIL, [], { href: '/settings', text: EVIL }), null),
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
