import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { draftFile } from '../../src/cli/commands/try/draft-list.ts'
import { followFiles, loadFile, versionsOf } from '../../src/cli/commands/try/load-file.ts'
import { compileDefinition } from '../../src/resources/declared/compile.ts'
import { createWorkspace } from '../support/changes.ts'
import { openStore } from '../support/operator.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { waitUntil } from '../support/wait.ts'

test('an edit while the files are being loaded is read once they are followed', async (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'stock.csv')
  writeFileSync(file, 'id,n\na,1\n')
  const drafted = await draftFile(file)
  const store = await openStore(t, `sqlite:${join(folder, 'vitrine.db')}`, [compileDefinition(drafted.definition)])
  await createWorkspace(store, { name: 'Stock', slug: 'stock' }, 'test', '2026-11-15T12:00:00.000Z')
  const target = { store, workspace: 'stock' }
  const versions = await versionsOf([drafted])
  assert.equal(await loadFile(target, drafted), 1)
  writeFileSync(file, 'id,n\na,1\nb,2\n')
  await using _following = followFiles(target, versions)
  const rows = () => store.read((tx) => tx.all('SELECT id FROM list_items'))
  await waitUntil(async () => (await rows()).length === 2)
})
