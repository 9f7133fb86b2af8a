/**
 * Works on a database until it is killed: node killed-process-main.ts write|backup|restore URL NAME BACKUP TASKS
 * Every acknowledged change is printed to stdout, one JSON line each, before the next one begins.
 */

import { writeSync } from 'node:fs'
import { backupDatabase, openOperatorStore, parseDatabaseUrl, restoreDatabase } from '../../src/database/open.ts'
import { importRecords } from '../../src/import/import-records.ts'
import { resources } from '../../src/resources/index.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { addMember, removeMember } from '../support/changes.ts'
import { keysIn } from '../support/keys.ts'

export type Acknowledged =
  | { did: 'create'; id: string }
  | { did: 'revoke'; id: string }
  | { did: 'import'; title: string }
  | { did: 'add' | 'remove'; email: string }
  | { did: 'begin' | 'back up' | 'restore' }

const [, , work = '', url = '', name = '', backup = '', taskCount = ''] = process.argv
const database = parseDatabaseUrl(url)
const tell = (acknowledged: Acknowledged) => writeSync(1, `${JSON.stringify(acknowledged)}\n`)

async function* tasksTitled(title: string) {
  for (let i = 0; i < Number(taskCount); i++) yield Buffer.from(`${JSON.stringify({ id: `task-${i}`, title })}\n`)
}

/** Opens and closes repeatedly, as commands do: merging the log into the file may be interrupted too. */
async function write(): Promise<void> {
  for (let round = 0; ; round++) {
    const store = await openOperatorStore(database, resources, { create: false })
    const keys = keysIn(store, name)
    const newKey = { label: `${name}-${round}`, permissions: ['tasks:read'], quota: null, expiresAt: null }
    const { key } = await keys.create('acme', newKey)
    tell({ did: 'create', id: key.id })
    const title = `${name}-${round}`
    const context = { store, list: currentTasks, actor: name, onBadRecord() {} }
    await importRecords(context, 'acme', { chunks: tasksTitled(title) })
    tell({ did: 'import', title })
    await keys.revoke(key.id)
    tell({ did: 'revoke', id: key.id })
    const email = `${name}@acme.example`
    await addMember(store, 'acme', { email, role: 'member' }, name)
    tell({ did: 'add', email })
    await removeMember(store, 'acme', email, name)
    tell({ did: 'remove', email })
    await store.close()
  }
}

tell({ did: 'begin' })
if (work === 'write') await write()
else if (work === 'restore') {
  await restoreDatabase(database, resources, backup)
  tell({ did: 'restore' })
} else {
  await backupDatabase(database, backup)
  tell({ did: 'back up' })
}
