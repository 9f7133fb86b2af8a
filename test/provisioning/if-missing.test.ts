import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openSettingsStore, parseDatabaseUrl } from '../../src/database/open.ts'
import type { Transaction } from '../../src/database/store.ts'
import { addMissingMember } from '../../src/members/members.ts'
import { resources } from '../../src/resources/index.ts'
import { createMissingWorkspace, createWorkspace } from '../../src/workspaces/workspaces.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'

/** Runs each work in a program of its own, all at the same time. */
async function atOnce(t: TestContext) {
  const database = parseDatabaseUrl(await migratedDatabaseUrl(t))
  const open = async () => {
    const store = await openSettingsStore(database, resources)
    assert.ok(store)
    t.after(() => store.close())
    return store
  }
  const stores = [await open(), await open()]
  return <T>(...works: ((tx: Transaction) => Promise<T>)[]) =>
    Promise.all(works.map((work, i) => stores[i]?.transaction(work)))
}

test('of two programs that create a missing workspace at once, the second finds it', async (t) => {
  const run = await atOnce(t)
  for (let round = 0; round < 10; round++) {
    const create = (tx: Transaction) => createMissingWorkspace(tx, { name: 'W', slug: `w${round}` }, 'test')
    const [one, other] = await run(create, create)
    assert.equal(one?.workspace.id, other?.workspace.id)
    assert.notEqual(one?.isNew, other?.isNew)
  }
})

test('of two programs that create a workspace of one slug at once, the second is told so', async (t) => {
  const run = await atOnce(t)
  for (let round = 0; round < 10; round++) {
    const create = (tx: Transaction) => createWorkspace(tx, { name: 'W', slug: `w${round}` }, 'test')
    await assert.rejects(run(create, create), { message: /^a workspace with the slug w\d already exists; / })
  }
})

test('of two programs that add a missing member at once, the second leaves their role', async (t) => {
  const run = await atOnce(t)
  await run((tx) => createMissingWorkspace(tx, { name: 'W', slug: 'w' }, 'test'))
  for (let round = 0; round < 10; round++) {
    const add = (role: string) => (tx: Transaction) =>
      addMissingMember(tx, 'w', { email: `m${round}@w.example`, role }, 'test')
    const [one, other] = await run(add('owner'), add('admin'))
    assert.equal(one?.member.role, other?.member.role)
  }
})
