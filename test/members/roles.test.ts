// Run once: the roles are constants.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '../../src/members/records.ts'
import { isManager, managersAmong } from '../../src/members/roles.ts'
import { program } from '../support/program.ts'

test('owners and admins manage keys, members do not, and the help of `member add` explains it', async (t) => {
  assert.deepEqual(
    roles.map((role) => [role, isManager({ role })]),
    [
      ['owner', true],
      ['admin', true],
      ['member', false],
    ],
  )
  assert.deepEqual(
    managersAmong([{ role: 'member' }, { role: 'admin' }, { role: 'owner' }]).map(({ role }) => role),
    ['owner', 'admin'],
  )
  const help = await program(t).ok('member', 'add', '--help')
  assert.match(help.replace(/\s+/g, ' '), /--role <role> owner and admin can create and revoke keys, member cannot/)
})
