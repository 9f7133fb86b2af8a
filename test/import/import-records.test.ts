import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importRecords } from '../../src/import/import-records.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { storedRows } from '../support/written-lists.ts'
import { manyTasks, startSyncing } from './syncing.ts'

const counts = (created: number, replaced: number) => ({ created, replaced, deleted: 0, unchanged: 0 })

test('an import replaces a task completely, but keeps its place', async (t) => {
  const { import: take, elsewhere } = await startSyncing(t)
  await take('{"id":"a","title":"One","details":"x","status":"completed"}\n{"id":"b","title":"Two"}\n')
  assert.deepEqual(await take('{"id":"c","title":"Three"}\n{"id":"a","title":"Uno"}\n'), counts(1, 1))
  assert.deepEqual(
    (await storedRows(elsewhere)).map(({ id, title, details, status }) => [id, title, details, status]),
    [
      ['a', 'Uno', null, 'open'],
      ['b', 'Two', null, 'open'],
      ['c', 'Three', null, 'open'],
    ],
  )
})

test('a record that is nested too deeply or has too many values is refused before it is parsed, in NDJSON and in an array', async (t) => {
  const { import: take } = await startSyncing(t)
  const deep = `{"id":"a","title":"A","x":${'['.repeat(400_000)}${']'.repeat(400_000)}}`
  const wide = `{"id":"a","title":"A","x":[${'0,'.repeat(20_000)}0]}`
  for (const file of [`${deep}\n${wide}\n`, `[${deep},${wide}]`])
    assert.deepEqual(
      String(await take(file))
        .replace(/^line \d: /gm, '')
        .split('\n'),
      [
        'the record nests deeper than 64 levels',
        'the record holds more than 10000 values',
        'nothing was imported: 2 bad records',
      ],
    )
})

test('progress is shown while records are read and while rows are stored', async (t) => {
  const { store } = await startSyncing(t)
  const steps: string[] = []
  const onProgress = (...step: unknown[]) => void steps.push(step.join(' '))
  const chunks = (async function* () {
    yield Buffer.from(JSON.stringify(manyTasks(250)))
  })()
  await importRecords({ store, list: currentTasks, actor: 'test', onBadRecord() {}, onProgress }, 'acme', { chunks })
  for (const step of ['read 250', 'stored 1 250', 'stored 250 250']) assert.ok(steps.includes(step), step)
})
