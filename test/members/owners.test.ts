// On both engines: concurrent changes wait for each other.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openSettingsStore, parseDatabaseUrl } from '../../src/database/open.ts'
import type { OperatorStore } from '../../src/database/store.ts'
import type { Role } from '../../src/members/records.ts'
import { checkMayManage, managersAmong } from '../../src/members/roles.ts'
import { resources } from '../../src/resources/index.ts'
import { addMember, changeRole, listMembers, removeMember } from '../support/changes.ts'
import { startOperator } from '../support/operator.ts'

const AT = '2026-11-15T12:00:00.000Z'
const ANA = 'ana@acme.example'
const BEN = 'ben@acme.example'

async function start(t: TestContext) {
  const { url, store } = await startOperator(t)
  const put = (email: string, role: Role) => addMember(store, 'acme', { email, role }, 'test', AT)
  const owners = async () => (await listMembers(store, 'acme')).filter(({ role }) => role === 'owner').length
  return { url, store, put, owners }
}

/** A server's store, which does not block the thread while another writes. */
async function openBeside(t: TestContext, url: string): Promise<OperatorStore> {
  const store = await openSettingsStore(parseDatabaseUrl(url), resources)
  assert.ok(store)
  t.after(() => store.close())
  return store
}

test('if two owners demote or remove each other at once, on two replicas, one remains', async (t) => {
  const { url, put, owners } = await start(t)
  const [one, other] = [await openBeside(t, url), await openBeside(t, url)]
  for (let round = 0; round < 10; round++) {
    await put(ANA, 'owner')
    await put(BEN, 'owner')
    const drop = (from: OperatorStore, email: string) =>
      round % 2 === 0
        ? changeRole(from, 'acme', { email, role: 'member' }, 'test')
        : removeMember(from, 'acme', email, 'test')
    const results = await Promise.allSettled([drop(one, ANA), drop(other, BEN)])
    const faults = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.name] : []))
    assert.deepEqual(faults, ['LastOwnerError'])
    assert.equal(await owners(), 1)
  }
})

test('an admin changes admins and members, an owner also owners, a member no one', async (t) => {
  const { store, put } = await start(t)
  await put(ANA, 'owner')
  const who = 'who@acme.example'
  const roles = ['owner', 'admin', 'member'] as const
  const may: Record<Role, (role: Role) => boolean> = {
    owner: () => true,
    admin: (role) => role !== 'owner',
    member: () => false,
  }
  for (const by of roles)
    for (const role of roles) {
      const author = { email: 'by@acme.example', role: by }
      const attempt = async (work: () => Promise<unknown>) => {
        if (may[by](role)) await work()
        else await assert.rejects(work(), { name: 'OwnersOnlyError' }, `${by} ${role}`)
      }
      await attempt(() => addMember(store, 'acme', { email: who, role }, author, AT))
      await put(who, 'member')
      await attempt(() => changeRole(store, 'acme', { email: who, role }, author))
      await put(who, role)
      await attempt(() => changeRole(store, 'acme', { email: who, role: 'member' }, author))
      await put(who, role)
      await attempt(() => removeMember(store, 'acme', who, author))
      await put(who, role)
      await removeMember(store, 'acme', who, { email: who, role })
    }
})

test('owners are named before admins when someone has to be asked, and plain members never', () => {
  const people = (['member', 'admin', 'owner', 'admin'] as const).map((role, n) => ({ role, n }))
  assert.deepEqual(
    managersAmong(people).map(({ n }) => n),
    [2, 1, 3],
  )
  for (const [role, message] of [
    ['owner', 'only an owner may do this for an owner'],
    ['member', 'a member may not do this'],
  ] as const)
    assert.throws(() => checkMayManage({ email: ANA, role: 'member' }, role), { name: 'OwnersOnlyError', message })
})
