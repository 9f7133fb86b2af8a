import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { attentionKinds } from '../../../src/keys/evaluate.ts'
import { auditPage } from '../../../src/web/audit/audit.ts'
import { cannotConnectPage, consentPage } from '../../../src/web/connect/consent-page.ts'
import { createdKeyPage } from '../../../src/web/keys/create/created.ts'
import { createKeyPage } from '../../../src/web/keys/create/new-key.ts'
import { keyPage } from '../../../src/web/keys/key/details.ts'
import { editKeyPage } from '../../../src/web/keys/key/edit.ts'
import { keyHistoryPage } from '../../../src/web/keys/key/history.ts'
import { cancelRotationPage, rotateKeyPage } from '../../../src/web/keys/life-cycle/rotate.ts'
import { pauseKeyPage, revokeKeyPage } from '../../../src/web/keys/life-cycle/stop.ts'
import { askForKeyPage, keysPage } from '../../../src/web/keys/list.ts'
import { invitePage, linkPage } from '../../../src/web/members/invite.ts'
import { askPage, membersPage } from '../../../src/web/members/list.ts'
import { removeMemberPage } from '../../../src/web/members/member.ts'
import { requestsPage } from '../../../src/web/requests/requests.ts'
import { errorPage, PageError } from '../../../src/web/responses.ts'
import { signInConfirmPage, signInPage } from '../../../src/web/sign-in/sign-in.ts'
import { workspacePage } from '../../../src/web/workspace/details.ts'
import { consentModel } from '../../support/sample-consent.ts'
import { detail, editModel, keyModel } from '../../support/sample-key-pages.ts'
import { keysModelOf } from '../../support/sample-listing.ts'
import { inviteModel, linkModel, memberResults } from '../../support/sample-members.ts'
import {
  auditModel,
  createdKeyModel,
  createKeyModel,
  frame,
  liveKey,
  NOW,
  workspaceModel,
} from '../../support/sample-models.ts'
import { samplePages } from '../../support/sample-pages.ts'
import { requestsModel } from '../../support/sample-requests.ts'

const EVIL = `</title><script>evil()</script><img src=x onerror=evil()>"'\`&`

/** Values that the code itself chooses among, by the name of their member. */
const CHOSEN = new Set([
  'role',
  'section',
  'kind',
  'tone',
  'expiry',
  'show',
  'sort',
  'seen',
  'timezone',
  'table',
  'attention',
])

/** The same model, with the hostile text in place of every text that could come from a person or a client. */
function evil<T>(value: T, name = ''): T {
  if (typeof value === 'string') return (CHOSEN.has(name) || INSTANT.test(value) ? value : EVIL) as T
  if (Array.isArray(value)) return value.map((item) => evil(item, name)) as T
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [key, evil(member, key)])
  return Object.fromEntries(members) as T
}
const INSTANT = /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/

const notice = { tone: 'bad', text: EVIL } as const
const evilFrame = { ...evil(frame), notice }
const evilKey = evil({ ...liveKey, attention: [...attentionKinds] })
const kin = detail(evilKey, { successors: [{ ...evilKey, lastUsedAt: null }], predecessor: evilKey })
const entry = { at: NOW, actor: EVIL, action: EVIL, subject: EVIL, label: EVIL }
const errors = { label: EVIL, permissions: EVIL, expiryDate: EVIL, rateLimit: EVIL, networks: EVIL, only: EVIL }

const rowValues = [{ field: EVIL, values: [{ shown: EVIL, typed: EVIL }] }]

const pages: Record<string, string> = {
  'sign-in': signInPage({ oidc: true, passkeys: true, mail: true, csrf: 'csrf', notice }),
  'sign-in-confirm': signInConfirmPage({ token: EVIL, csrf: EVIL, email: EVIL }),
  keys: keysPage({ ...keysModelOf([evilKey], { search: EVIL }), frame: evilFrame }),
  'keys-not-found': keysPage({ ...keysModelOf([], { search: EVIL }, { total: 1 }), frame: evilFrame }),
  member: askForKeyPage(evilFrame, [{ email: EVIL, role: 'owner' }]),
  create: createKeyPage({ ...evil(createKeyModel), defaultQuota: createKeyModel.defaultQuota, errors }),
  created: createdKeyPage({ ...evil(createdKeyModel), replaced: { label: EVIL, worksUntil: null } }),
  'cancel-rotation': cancelRotationPage(evilFrame, kin),
  rotate: rotateKeyPage(evilFrame, evilKey, '24h'),
  revoke: revokeKeyPage(evilFrame, kin),
  key: keyPage({
    ...evil(keyModel),
    key: {
      ...kin,
      callers: [{ address: EVIL, agent: EVIL, count: 1, firstAt: NOW, lastAt: NOW }],
    },
  }),
  'key-history': keyHistoryPage(evilFrame, kin, [{ ...entry, detail: { [EVIL]: EVIL, list: [EVIL] } }]),
  requests: requestsPage({
    ...requestsModel,
    frame: evilFrame,
    keys: [{ id: 'key_1', label: EVIL, prefix: EVIL }],
    fields: { outcome: EVIL, from: EVIL, to: EVIL, q: EVIL },
    errors: { q: EVIL },
    requests: requestsModel.requests.map((each) => ({
      ...each,
      ...{ requestId: EVIL, keyId: 'key_1', operation: EVIL, tool: EVIL, arguments: EVIL, code: EVIL, refused: EVIL },
      ...{ address: EVIL, agent: EVIL },
    })),
  }),
  'key-edit': editKeyPage({ ...evil(editModel), errors, changedMeanwhile: ['label', 'networks', 'only'], rowValues }),
  'key-pause': pauseKeyPage(evilFrame, evilKey),
  consent: consentPage({ ...evil(consentModel), defaultQuota: consentModel.defaultQuota, errors }),
  'consent-member': cannotConnectPage({
    ...evil(consentModel),
    workspaces: [{ name: EVIL, managers: [{ email: EVIL, role: 'owner' }] }],
  }),
  audit: auditPage({
    ...auditModel,
    frame: evilFrame,
    groups: [[{ ...entry, detail: { [EVIL]: EVIL, before: { [EVIL]: EVIL }, after: { [EVIL]: EVIL } } }]],
    fields: { key: EVIL, kind: EVIL, who: EVIL, q: EVIL, from: EVIL, to: EVIL },
    errors: { q: EVIL, to: EVIL, key: EVIL },
    key: { text: EVIL, matches: [{ id: EVIL, label: EVIL, prefix: EVIL }] },
    people: [EVIL],
    keys: [{ id: EVIL, label: EVIL, prefix: EVIL }],
    older: EVIL,
  }),
  workspace: workspacePage({
    ...evil(workspaceModel),
    record: { ...workspaceModel.record, name: EVIL, slug: EVIL },
    values: { name: EVIL, timezone: EVIL, currency: EVIL, country: EVIL },
    changedMeanwhile: ['name'],
    errors: { name: EVIL },
    owners: [EVIL],
    sources:
      workspaceModel.sources?.map((source) => ({ ...source, name: EVIL, location: EVIL, failure: EVIL })) ?? null,
  }),
  members: membersPage(evilFrame, { ...evil(memberResults), typed: EVIL }),
  'members-ask': askPage(evilFrame, [{ email: EVIL, role: 'owner' }]),
  invite: invitePage({ ...evil(inviteModel), errors: { email: EVIL, role: EVIL } }),
  invited: linkPage({ ...evil(linkModel), companySignIn: EVIL }),
  'member-remove': removeMemberPage(evilFrame, `old ${EVIL}`),
  error: errorPage(new PageError(404, EVIL, EVIL, [], { href: '/settings', text: EVIL }), null),
}

describe('nothing that was typed becomes markup', () => {
  for (const [name, page] of Object.entries(pages))
    test(`on the page ${name}`, () => {
      assert.ok(page.includes('&#60;script&#62;evil()'), 'the text is there, escaped')
      assert.ok(!page.includes('<script>'))
      assert.ok(!page.includes('<img src=x'))
      // Every attribute that our templates open they also close: an unescaped quote would leave an odd number.
      assert.equal((page.match(/"/g) ?? []).length % 2, 0)
    })
})

describe('no page needs anything that the content security policy forbids', () => {
  for (const [name, page] of Object.entries(samplePages))
    test(`on the page ${name}`, () => {
      assert.equal(/<style|\sstyle=|<[^>]+\son\w+=|javascript:/.exec(page()), null)
      for (const [, attributes = ''] of page().matchAll(/<script([^>]*)>/g))
        assert.match(attributes, /src="\/settings\//)
    })
})
