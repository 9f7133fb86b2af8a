import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkedEmail } from '../../src/members/members.ts'
import { addMember, listMembers, removeMember } from '../support/changes.ts'
import { confusableEmails } from '../support/confusables.ts'
import { startOperator } from '../support/operator.ts'

const AT = '2026-11-15T12:00:00.000Z'

test('no one is added or removed under a confusable of their address', async (t) => {
  const { store } = await startOperator(t)
  await addMember(store, 'acme', { email: 'first@acme.example', role: 'owner' }, 'test', AT)
  for (const [odd, plain] of Object.values(confusableEmails)) {
    assert.throws(() => checkedEmail(odd), {
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
