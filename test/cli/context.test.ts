import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { test } from 'node:test'
import { actor } from '../../src/cli/context.ts'

test("the audit trail names the command line's user, or the user id if it has no name", () => {
  assert.equal(actor(), `cli:${userInfo().username}`)
  const nameless = () => {
    throw new Error('uv_os_get_passwd returned ENOENT')
  }
  assert.match(actor(nameless), /^cli:uid \d+$/)
})
