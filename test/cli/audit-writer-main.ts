/** Changes workspaces as an operator does, each change with its audit entry: node audit-writer-main.ts URL NAME CHANGES SLUG… */

import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { signIn } from '../../src/members/sessions.ts'
import { resources } from '../../src/resources/index.ts'
import { addMember } from '../support/changes.ts'
import { keysIn } from '../support/keys.ts'

const [, , url = '', name = '', changes = '', ...slugs] = process.argv
const store = await openOperatorStore(parseDatabaseUrl(url), resources, { create: false })
// The parent process closes stdin once all writers are ready.
process.stdout.write('ready\n')
for await (const _ of process.stdin);
const keys = keysIn(store, name)
const email = `${name}@acme.example`
const newKey = { permissions: ['tasks:read'], quota: null, expiresAt: null }
for (let i = 0; i < Number(changes); i++) {
  const slug = slugs[i % slugs.length] ?? ''
  if (i < slugs.length)
    await untilDone(() => addMember(store, slug, { email, role: 'owner' }, name, new Date().toISOString()))
  else if (i % 3 === 0) {
    // Of all workspaces in one transaction.
    await untilDone(() =>
      store.transaction((tx) =>
        signIn(tx, { scope: { email, workspaceId: null, linkBy: null }, method: { by: 'link' }, device: 'test' }),
      ),
    )
  } else {
    const { key } = await untilDone(() => keys.create(slug, { ...newKey, label: `${name} ${i}` }))
    await untilDone(() => keys.revoke(key.id))
  }
}
await store.close()

/** On a busy machine the other writers may hold a lock for longer than an operator waits, who then tries again. */
async function untilDone<T>(change: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await change()
    } catch (error) {
      if (attempt === 5 || !/has held a lock/.test((error as Error).message)) throw error
    }
}
