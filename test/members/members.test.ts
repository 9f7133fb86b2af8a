import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTurn } from '../../src/lib/turns.ts'
import * as members from '../../src/members/members.ts'
import { signIn } from '../../src/members/sessions.ts'
import { createWorkspace } from '../../src/workspaces/workspaces.ts'
import { addMember, listMembers, removeMember } from '../support/changes.ts'
import { confusableEmails } from '../support/confusables.ts'
import { testOnly } from '../support/database.ts'
import { startOperator } from '../support/operator.ts'

const AT = '2026-11-15T12:00:00.000Z'

test('no one is added or removed under a confusable of their address', async (t) => {
  const { store } = await startOperator(t)
  await addMember(store, 'acme', { email: 'first@acme.example', role: 'owner' }, 'test', AT)
  for (const [odd, plain] of Object.values(confusableEmails)) {
    assert.throws(() => members.checkedEmail(odd), {
      name: 'InvalidValueError',
      message: /is not an email address in plain ASCII/,
    })
    await addMember(store, 'acme', { email: plain, role: 'owner' }, 'test', AT)
    await assert.rejects(addMember(store, 'acme', { email: odd, role: 'member' }, 'test', AT), {
      name: 'InvalidValueError',
    })
    await assert.rejects(removeMember(store, 'acme', odd, 'test'), { name: 'InvalidValueError' })
    assert.deepEqual(
      (await listMembers(store, 'acme')).map(({ email }) => email).sort(),
      ['first@acme.example', plain].sort(),
    )
    await removeMember(store, 'acme', plain.toUpperCase(), 'test')
  }
})

// PostgreSQL waits for each statement, and so lets requests run.
testOnly('sqlite')('a sign-in to hundreds of workspaces lets requests run, and no long read delays it', async (t) => {
  const { store } = await startOperator(t)
  const email = 'ana@acme.example'
  let turns = 0
  let reads: Promise<unknown> | undefined
  let timer = setImmediate(function count() {
    turns++
    timer = setImmediate(count)
  })
  t.after(() => clearImmediate(timer))
  const passed = await store.transaction(async (tx) => {
    for (let i = 0; i < 300; i++) {
      await createWorkspace(tx, { name: 'W', slug: `w${i}` }, 'test')
      await members.addMember(tx, `w${i}`, { email, role: 'owner' }, 'test')
    }
    const before = turns
    let isReading = true
    reads = Promise.all(Array.from({ length: 5000 }, nextTurn)).then(() => (isReading = false))
    const { memberships } = (await signIn(tx, { email, method: { by: 'mail' }, workspaceId: null })) ?? assert.fail()
    assert.equal(memberships.length, 300)
    assert.ok(isReading, 'other writers wait for the whole sign-in')
    return turns - before
  })
  assert.ok(passed > 1, `${passed} turns`)
  await reads
})
