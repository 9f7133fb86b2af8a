import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Admission, permissionSet } from '../../src/database/admission.ts'
import type { PublicStore } from '../../src/database/store.ts'
import { toolFormat } from '../../src/mcp/2026-07-28/tools.ts'
import { toolMethods } from '../../src/mcp/tools.ts'
import { resources } from '../../src/resources/index.ts'
import { ResponseCache } from '../../src/resources/response-cache.ts'

const methods = toolMethods(resources, new ResponseCache({} as PublicStore, 10_000_000), toolFormat)
const list = (permissions: ReadonlySet<string>) =>
  methods['tools/list']({}, { permissions, only: null } as Admission, {})

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test('the lists of tools, and the permissions that they are cached by, are bounded', async () => {
  const common = permissionSet('tasks:read')
  const first = list(common)
  const cached = Array.from({ length: 5000 }, (_, n) => {
    const permissions = permissionSet(`tasks:read,n${n}:read`)
    assert.equal(permissionSet(`tasks:read,n${n}:read`), permissions)
    assert.equal(list(permissions), list(permissions))
    assert.equal(list(common), first, 'one in use stays')
    return { permissions: new WeakRef(permissions), list: new WeakRef(list(permissions)) }
  })
  // In their own turn, objects are not collected.
  await setImmediate()
  collectGarbage()
  assert.ok(cached.filter(({ permissions }) => permissions.deref() !== undefined).length <= 2000)
  assert.ok(cached.filter(({ list }) => list.deref() !== undefined).length <= 200)
})
