// On both engines: every statement about links and sessions runs here.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newestEntries } from '../../src/audit/log.ts'
import { findMember, type Role } from '../../src/members/records.ts'
import type { Manager } from '../../src/members/roles.ts'
import { activeSessionsOf, endSession, findActiveSession } from '../../src/members/sessions.ts'
import { createMailedLink, createMemberLink, findLink, signInWithLink } from '../../src/members/sign-in-link.ts'
import { workspaceOrThrow } from '../../src/workspaces/records.ts'
import { atTime } from '../support/at-time.ts'
import { addMember, changeRole, createSignInLink, createWorkspace, removeMember } from '../support/changes.ts'
import { changeElsewhere } from '../support/database.ts'
import { startOperator } from '../support/operator.ts'
import { NOON } from '../support/service.ts'

const [ANA, BEN, EVE, OTHER] = ['ana', 'ben', 'eve', 'other'].map((name) => `${name}@acme.example`) as [
  string,
  ...string[],
] &
  [string, string, string, string]
const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000]

/** The workspace `acme`, which Other owns, and `second`. A session is named by its secret. */
async function start(t: TestContext) {
  const { store: actual, url, workspace: acme } = await startOperator(t)
  const time = { now: NOON }
  const store = atTime(actual, () => time.now)
  await createWorkspace(store, { name: 'Second', slug: 'second' }, 'test')
  const put = (email: string, role: Role = 'admin', slug = 'acme') => addMember(store, slug, { email, role }, 'test')
  await put(OTHER, 'owner')
  const open = (token: string) => store.transaction((tx) => signInWithLink(tx, token, { device: 'x' }))
  const sessionOf = (secret: string) => findActiveSession(store, secret)
  return {
    ...{ store, time, put, open, sessionOf },
    changeElsewhere: (sql: string) => changeElsewhere(url, sql),
    demote: (email: string, role: Role) => changeRole(store, 'acme', { email, role }, 'test'),
    remove: (email: string, slug = 'acme') => removeMember(store, slug, email, 'test'),
    async newest(slug: string) {
      const entries = await store.read(async (tx) => newestEntries(tx, (await workspaceOrThrow(tx, slug)).id, 1))
      return entries[0]?.number
    },
    /** A link to acme, created or mailed by a member. */
    link: (by: Manager, email: string, options = {}) =>
      store.transaction(async (tx) => {
        const member = await findMember(tx, acme.id, email)
        assert.ok(member)
        return (await createMemberLink(tx, { workspaceId: acme.id, slug: acme.slug }, member, by, options)).token
      }),
    async signedIn(token: string) {
      const signedIn = await open(token)
      assert.ok(signedIn, 'the link opens')
      return signedIn.secret
    },
    /** The slugs of the workspaces that a session reaches; none if it has ended. */
    reach: async (secret: string) => (await sessionOf(secret))?.memberships.map(({ slug }) => slug) ?? [],
  }
}

const manager = (email: string, role: Role, linkBy: string | null = null): Manager => ({ email, role, linkBy })

const lifetimes = [
  ['the operator’s', 15 * MINUTE_MS, async ({ store }) => createSignInLink(store, { email: ANA }, 'test')],
  [
    'one that the person asked for by mail',
    15 * MINUTE_MS,
    ({ store }) => store.transaction((tx) => createMailedLink(tx, ANA)),
  ],
  ['a member’s', 7 * DAY_MS, ({ link }) => link(manager(EVE, 'admin'), ANA)],
  ['an invitation by mail', 7 * DAY_MS, ({ link }) => link(manager(EVE, 'admin'), ANA, { isMailed: true })],
] satisfies [string, number, (started: Awaited<ReturnType<typeof start>>) => Promise<string | undefined>][]
for (const [whose, lifetimeMs, create] of lifetimes)
  test(`a link works once, within its time: ${whose}`, async (t) => {
    const started = await start(t)
    const { time, put, open, store } = started
    for (const email of [ANA, EVE]) await put(email)
    const [used, late] = [await create(started), whose.startsWith('a') ? undefined : await create(started)]
    assert.ok(used)
    time.now += lifetimeMs - 1
    assert.equal((await store.read((tx) => findLink(tx, used)))?.person, ANA)
    assert.ok(await open(used))
    assert.equal(await open(used), undefined)
    time.now += 1
    if (late !== undefined) assert.equal(await open(late), undefined)
    assert.equal(await store.read((tx) => findLink(tx, late ?? used)), undefined)
  })

test('the entry of a sign-in names how the link came, and its creator', async (t) => {
  const { put, open, link, store } = await start(t)
  for (const email of [ANA, EVE]) await put(email)
  const detailOf = async (token: string | undefined) => {
    await open(token ?? '')
    const entries = await store.read(async (tx) => newestEntries(tx, (await workspaceOrThrow(tx, 'acme')).id, 1))
    return entries[0]?.detail
  }
  assert.deepEqual(await detailOf(await store.transaction((tx) => createMailedLink(tx, ANA))), { by: 'mail' })
  assert.deepEqual(await detailOf(await link(manager(EVE, 'admin'), ANA)), { by: 'link', createdBy: EVE })
  assert.deepEqual(await detailOf(await createSignInLink(store, { email: ANA }, 'test')), { by: 'link' })
})

test('what a link reaches', async (t) => {
  const { put, link, signedIn, reach, store, open, newest, changeElsewhere } = await start(t)
  for (const email of [ANA, BEN, EVE]) await put(email)
  await put(ANA, 'owner', 'second')
  const eve = manager(EVE, 'admin')
  const everywhere = await signedIn(await createSignInLink(store, { email: ANA }, 'test'))
  assert.deepEqual(await reach(everywhere), ['acme', 'second'])
  const before = await newest('second')
  assert.deepEqual(await reach(await signedIn(await link(eve, ANA))), ['acme'])
  assert.equal(await newest('second'), before, 'no other log shows it')
  assert.deepEqual(await reach(await signedIn(await link(eve, ANA, { isMailed: true }))), ['acme'], 'they have another')
  const bens = await signedIn(await link(eve, BEN, { isMailed: true }))
  await put(BEN, 'member', 'second')
  assert.deepEqual(await reach(bens), ['acme', 'second'], 'they had no other, so the session is their own')
  const first = await open(await createSignInLink(store, { email: ANA, workspace: 'second' }, 'test'))
  assert.equal(first?.workspace.slug, 'second', 'the workspace to show first')
  await assert.rejects(createSignInLink(store, { email: 'x@acme.example' }, 'test'), /not a member of any workspace/)
  assert.equal(await store.transaction((tx) => createMailedLink(tx, 'x@acme.example')), undefined)
  await assert.rejects(link(eve, OTHER), { name: 'OwnersOnlyError' })
  const invitation = await link(eve, ANA, { isMailed: true })
  await changeElsewhere(`DELETE FROM members WHERE email = '${ANA}' AND role = 'admin'`)
  assert.equal(await open(invitation), undefined, 'they are no longer a member there')
})

test('a new link of a member, shown or mailed, replaces the previous ones, whoever created them', async (t) => {
  const { put, link, open } = await start(t)
  for (const email of [ANA, EVE]) await put(email)
  const [eve, other] = [manager(EVE, 'admin'), manager(OTHER, 'owner')]
  const links = [await link(eve, ANA), await link(other, ANA, { isMailed: true }), await link(eve, ANA)]
  const opened = []
  for (const token of links) opened.push((await open(token)) !== undefined)
  assert.deepEqual(opened, [false, false, true])
})

/** Ana has a session by a link of Eve’s, and an unused one. */
async function startLinked(t: TestContext, role: Role) {
  const started = await start(t)
  await started.put(ANA)
  await started.put(EVE, role)
  const session = await started.signedIn(await started.link(manager(EVE, role), ANA))
  const unused = await started.link(manager(EVE, role), ANA)
  assert.deepEqual(await started.reach(session), ['acme'])
  return { ...started, session, unused }
}

const endings: [
  what: string,
  role: Role,
  end: (started: Awaited<ReturnType<typeof startLinked>>) => Promise<unknown>,
][] = [
  ['the creator is removed', 'admin', ({ remove }) => remove(EVE)],
  ['the creator becomes a member', 'admin', ({ demote }) => demote(EVE, 'member')],
  ['a creator who was an owner becomes a member', 'owner', ({ demote }) => demote(EVE, 'member')],
  ['the person is removed', 'admin', ({ remove }) => remove(ANA)],
  ['the person becomes an owner', 'admin', ({ demote }) => demote(ANA, 'owner')],
]
for (const [what, role, end] of endings)
  test(`a session by a member's link, and an unused link, end if ${what}, and adding them again revives none`, async (t) => {
    const started = await startLinked(t, role)
    const { session, unused, reach, open, put } = started
    await end(started)
    assert.deepEqual(await reach(session), [])
    await put(ANA)
    await put(EVE, role)
    assert.deepEqual(await reach(session), [])
    assert.equal(await open(unused), undefined)
  })

test('a change of role that still lets the creator sign the person in ends nothing', async (t) => {
  const { session, unused, reach, open, demote } = await startLinked(t, 'admin')
  await demote(EVE, 'owner')
  await demote(ANA, 'member')
  assert.deepEqual(await reach(session), ['acme'])
  assert.ok(await open(unused))
})

test('neither a session nor an unused link of a session that a link opened outlives any of the creators', async (t) => {
  for (const removed of [EVE, ANA]) {
    const { session, sessionOf, signedIn, link, reach, open, put, remove } = await startLinked(t, 'admin')
    await put(BEN)
    const linkBy = (await sessionOf(session))?.linkBy ?? null
    assert.equal(linkBy, EVE)
    const bens = await signedIn(await link(manager(ANA, 'admin', linkBy), BEN))
    const unused = await link(manager(ANA, 'admin', linkBy), BEN)
    assert.equal((await sessionOf(bens))?.linkBy, `${ANA} ${EVE}`)
    await remove(removed)
    assert.deepEqual(await reach(bens), [])
    assert.equal(await open(unused), undefined)
  }
})

test('removal ends what reached the workspace, and everything with the last membership', async (t) => {
  const { put, link, signedIn, reach, remove, store, open } = await start(t)
  await put(EVE)
  const operators = (slug?: string) => createSignInLink(store, { email: ANA, workspace: slug }, 'test')
  for (const by of ['test', manager(EVE, 'admin')] as const) {
    await put(ANA)
    await put(ANA, 'owner', 'second')
    await put(OTHER, 'owner', 'second')
    const everywhere = await signedIn(await operators())
    const limited = await signedIn(await link(manager(EVE, 'admin'), ANA))
    const unused = [await link(manager(EVE, 'admin'), ANA), await link(manager(EVE, 'admin'), ANA, { isMailed: true })]
    const own = await operators()
    await removeMember(store, 'acme', ANA, by)
    assert.deepEqual(await reach(limited), [])
    assert.deepEqual(await reach(everywhere), by === 'test' ? [] : ['second'], 'the operator removes every session')
    await put(ANA)
    assert.deepEqual(await reach(limited), [])
    for (const token of unused) assert.equal(await open(token), undefined)
    assert.equal((await open(own)) !== undefined, by !== 'test')
    await remove(ANA)
    await remove(ANA, 'second')
  }
})

test('a session ends twelve hours after its last use, or seven days after it began', async (t) => {
  const { put, signedIn, reach, sessionOf, time, store, newest } = await start(t)
  await put(ANA)
  const begin = async () => signedIn(await createSignInLink(store, { email: ANA }, 'test'))
  const idle = await begin()
  time.now += 12 * HOUR_MS - 1
  assert.deepEqual(await reach(idle), ['acme'])
  assert.equal((await sessionOf(idle))?.needsTouch, true)
  time.now += 1
  assert.deepEqual(await reach(idle), [])
  const used = await begin()
  assert.equal((await sessionOf(used))?.needsTouch, false)
  for (let hours = 0; hours < 7 * 24; hours += 8) {
    assert.deepEqual(await reach(used), ['acme'], `${hours}`)
    await store.transaction((tx) => tx.run('UPDATE sessions SET seen_at = ?', new Date(time.now).toISOString()))
    time.now += 8 * HOUR_MS
  }
  assert.deepEqual(await reach(used), [])
  const session = await sessionOf(await begin())
  assert.ok(session)
  const activeAt = (now: number) => store.read(async (tx) => (await activeSessionsOf(tx, ANA, now)).length)
  assert.deepEqual([await activeAt(time.now), await activeAt(time.now + 12 * HOUR_MS)], [1, 0])
  const before = (await newest('acme')) ?? 0
  assert.equal(await store.transaction((tx) => endSession(tx, session, session)), true)
  assert.equal(await newest('acme'), before + 1, 'it is in the log')
  assert.equal(await store.transaction((tx) => endSession(tx, session, session)), false)
  const rows = await store.read((tx) => tx.all('SELECT hash FROM sessions'))
  assert.equal(rows.length, 0, 'those that are over are deleted when someone signs in')
})

test('twenty sessions of each reach remain: the least recently used one ends', async (t) => {
  const { put, link, signedIn, reach, time, store } = await start(t)
  for (const email of [ANA, EVE]) await put(email)
  const everywhere = await signedIn(await createSignInLink(store, { email: ANA }, 'test'))
  const limited: string[] = []
  for (let i = 0; i < 21; i++) {
    time.now += 1000
    limited.push(await signedIn(await link(manager(EVE, 'admin'), ANA)))
  }
  assert.deepEqual(await reach(everywhere), ['acme'])
  const reached = await Promise.all(limited.map(async (secret) => (await reach(secret)).length))
  assert.deepEqual(reached, [0, ...Array(20).fill(1)])
})
