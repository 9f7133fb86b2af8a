import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { openOperatorStore, parseDatabaseUrl } from '../../../src/database/open.ts'
import { startHealthMetrics } from '../../../src/metrics/health-metrics.ts'
import { programWithFile } from '../../support/program.ts'
import { waitUntil } from '../../support/wait.ts'

async function withFolder(t: TestContext) {
  const vitrine = programWithFile(t)
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  const folder = join(vitrine.folder, 'backups')
  mkdirSync(folder, { mode: 0o700 })
  const doctor = async () => /^.*backup: .*$/m.exec((await vitrine.run('doctor')).stdout)?.[0]
  return { ...vitrine, backups: folder, doctor, record: `${vitrine.file}-backup` }
}

const OLDER = ['vitrine-20260101T020000Z.db', 'vitrine-20260102T020000Z.db', 'vitrine-20260103T020000Z.db']

test('the newest backups are kept, other files stay, and each backup can be restored', async (t) => {
  const vitrine = await withFolder(t)
  for (const name of [...OLDER, 'notes.txt', 'vitrine-mine.db']) writeFileSync(join(vitrine.backups, name), '')
  mkdirSync(join(vitrine.backups, '.vitrine-unverified-killed'))
  const { file, removed } = await vitrine.json('backup', 'backups', '--keep', '2')
  assert.match(file, /^backups\/vitrine-\d{8}T\d{6}Z\.db$/)
  assert.deepEqual(removed, OLDER.slice(0, 2))
  const left = [OLDER[2], file.slice('backups/'.length), 'notes.txt', 'vitrine-mine.db'].sort()
  assert.deepEqual(readdirSync(vitrine.backups).sort(), left)
  assert.equal(statSync(join(vitrine.folder, file)).mode & 0o777, 0o600)
  await vitrine.ok('workspace', 'create', '--name', 'Later', '--slug', 'later')
  await vitrine.ok('restore', file)
  assert.deepEqual(
    (await vitrine.json('workspace', 'list')).map(({ slug }: { slug: string }) => slug),
    ['acme'],
  )
})

test('a backup that cannot be restored is not added, and none is removed', async (t) => {
  const vitrine = await withFolder(t)
  writeFileSync(join(vitrine.backups, OLDER[0] ?? ''), '')
  using db = new DatabaseSync(vitrine.file)
  db.exec('CREATE TRIGGER spy AFTER INSERT ON audit BEGIN SELECT 1; END')
  db.close()
  assert.match(
    await vitrine.fails(1, 'backup', 'backups', '--keep', '1'),
    /vitrine\.db: its backup cannot be restored, so it was not added: trigger spy of audit is not part of/,
  )
  assert.deepEqual(readdirSync(vitrine.backups), [OLDER[0]])
  assert.equal(existsSync(vitrine.record), false)
  rmSync(vitrine.backups, { recursive: true })
  assert.match(await vitrine.fails(1, 'backup', 'backups', '--keep', '1'), /backups: no such folder; create it first/)
  assert.match(await vitrine.fails(2, 'backup', 'backups', '--keep', '0'), /--keep: must be a positive whole number/)
})

test('doctor and a metric show the age of the last verified backup', async (t) => {
  const vitrine = await withFolder(t)
  chmodSync(vitrine.folder, 0o700)
  assert.equal(await vitrine.doctor(), "ok    backup: none by 'vitrine backup --keep' yet")
  await vitrine.ok('backup', 'backups', '--keep', '2')
  assert.equal(await vitrine.doctor(), 'ok    backup: the last one that was verified is less than an hour old')
  const threeDaysAgo = Math.floor(Date.now() / 1000) - 3 * 86_400
  utimesSync(vitrine.record, threeDaysAgo, threeDaysAgo)
  assert.match(
    (await vitrine.doctor()) ?? '',
    /^warn {2}backup: the last one that was verified is 72 hours old; check the timer/,
  )

  const store = await openOperatorStore(parseDatabaseUrl(`sqlite:${vitrine.file}`), [], { create: false })
  t.after(() => store.close())
  const metrics = startHealthMetrics(store, { resources: [], differences: 0 }, (error) => assert.fail(String(error)))
  t.after(() => metrics.stop())
  const value = () => metrics.samples().find(({ metric }) => metric === 'vitrine_backup_timestamp_seconds')?.value
  await waitUntil(() => value() !== undefined)
  assert.equal(value(), threeDaysAgo)
})
