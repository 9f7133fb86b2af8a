// On both engines: a snapshot is compared with stored rows in the database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listSources } from '../../src/import/sources.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { testOnce } from '../support/database.ts'
import { rowsOf, storedRows } from '../support/written-lists.ts'
import { counts, manyTasks, NOW, startSyncing } from './syncing.ts'

const titled = (titles: Record<string, string>) => Object.entries(titles).map(([id, title]) => ({ id, title }))
const LATER = '2026-11-15T13:00:00.000Z'

test('a sync creates, changes and removes according to its snapshot, and touches nothing else', async (t) => {
  const { sync, import: take, tasks } = await startSyncing(t)
  await take([{ id: 'mine', title: 'Imported' }])
  await sync([{ id: 'other', title: 'Other' }], { source: 'other' })
  const first = titled({ a: 'A', b: 'B', c: 'C' })
  assert.deepEqual(await sync(first), counts(3, 0, 0, 0))
  const second = titled({ d: 'D', c: 'C', a: 'A, changed' })
  assert.deepEqual(await sync(second), counts(1, 1, 1, 1))
  assert.deepEqual(await tasks(), [
    'mine Imported ',
    'other Other other',
    'a A, changed tracker',
    'c C tracker',
    'd D tracker',
  ])
})

test('every column is compared, including null, and the creation time only if it is given', async (t) => {
  const { sync, elsewhere } = await startSyncing(t)
  const whole = {
    ...{ id: 'a', title: 'A', details: 'x', dueAt: '2026-11-16T16:00:00+09:00', bookKey: 'k' },
    ...{ assigneeName: 'P', assigneeEmail: 'p@x.example' },
    ...{ sourceSessionId: 's', sourceTitle: 't', sourceSummary: 'u', sourceKind: 'v' },
    ...{ status: 'open', snoozedUntil: '2026-11-20T00:00:00Z', createdAt: '2026-01-01T00:00:00Z' },
  }
  await sync([whole])
  assert.deepEqual(await sync([whole]), counts(0, 0, 0, 1))
  const others: Record<string, string> = { status: 'completed', assigneeEmail: 'q@x.example' }
  for (const [field, value] of Object.entries(whole)) {
    if (field === 'id') continue
    const isInstant = field.endsWith('At') || field === 'snoozedUntil'
    const other = { ...whole, [field]: others[field] ?? (isInstant ? '2026-05-05T05:05:05Z' : `${value}!`) }
    assert.deepEqual(await sync([other]), counts(0, 1, 0, 0), field)
    assert.deepEqual(await sync([whole]), counts(0, 1, 0, 0), field)
    if (field === 'title' || field === 'status') continue
    const isKept = field === 'createdAt'
    assert.deepEqual(await sync([{ ...whole, [field]: null }]), isKept ? counts(0, 0, 0, 1) : counts(0, 1, 0, 0), field)
    await sync([whole])
  }
  assert.deepEqual(
    (await storedRows(elsewhere)).map(({ id, createdAt }) => [id, createdAt]),
    [['a', '2026-01-01T00:00:00.000Z']],
  )
})

test('an unchanged snapshot writes only the time of the sync: no row, no revision, no audit entry', async (t) => {
  const { sync, traces, store, workspace } = await startSyncing(t)
  await sync(manyTasks(50))
  const before = await traces()
  assert.deepEqual(await sync(manyTasks(50).reverse(), {}, () => LATER), counts(0, 0, 0, 50))
  assert.deepEqual(await traces(), before)
  const [source] = await store.read((tx) => listSources(tx, workspace.id))
  assert.equal(source?.createdAt, NOW)
  assert.equal(source?.syncedAt, LATER)
})

test('a sync is recorded with its source and its counts, and the source with its snapshot', async (t) => {
  const { sync, ask, store, workspace } = await startSyncing(t)
  await sync(manyTasks(3), { location: 'tasks.json' })
  const [audit] = await ask(`SELECT actor, subject, detail FROM audit WHERE action = 'tasks.synced'`)
  assert.equal(audit, `test ${workspace.id} {"source":"tracker","created":3,"changed":0,"gone":0,"unchanged":0}`)
  assert.deepEqual(
    (await store.read((tx) => listSources(tx, workspace.id))).map((source) => ({ ...source })),
    [
      {
        ...{ list: 'tasks', name: 'tracker', createdAt: NOW, syncedAt: NOW, attemptedAt: NOW },
        ...{ failingSince: null, failure: null, failures: 0, everySeconds: null, location: 'tasks.json' },
        rowCount: 3,
      },
    ],
  )
})

test('20 rows of a source of 100 may be removed, and ten of one of 20; --max-gone changes that', async (t) => {
  const { sync, traces } = await startSyncing(t)
  await sync(manyTasks(100))
  const before = await traces()
  assert.equal(
    await sync(manyTasks(79)),
    'nothing was synced: 21 of the 100 tasks of tracker would be removed, and the limit is 20; if that is correct, allow it with --max-gone 21',
  )
  assert.match(String(await sync(manyTasks(80), { maxGone: { rows: 19 } })), /the limit is 19/)
  assert.match(String(await sync(manyTasks(80), { maxGone: { percent: 19 } })), /the limit is 19/)
  assert.deepEqual(await traces(), before)
  assert.deepEqual(await sync(manyTasks(80)), counts(0, 0, 20, 80))
  assert.deepEqual(await sync(manyTasks(20), { maxGone: { percent: 75 } }), counts(0, 0, 60, 20))
  assert.match(String(await sync(manyTasks(9))), /11 of the 20 tasks .* the limit is 10/)
  assert.deepEqual(await sync(manyTasks(10)), counts(0, 0, 10, 10))
  assert.match(String(await sync(manyTasks(9), { maxGone: { rows: 0 } })), /1 of the 10 tasks .* the limit is 0/)
})

for (const [what, content] of [
  ['no bytes', ''],
  ['blank lines', ' \n\n'],
  ['an empty array', '[]'],
  ['a CSV header', 'id,title\n'],
] as const)
  test(`a snapshot of ${what} is rejected unless it may be empty, and even then limited in its removals`, async (t) => {
    const { sync, traces } = await startSyncing(t)
    await sync(manyTasks(11))
    const before = await traces()
    assert.equal(
      await sync(content),
      'nothing was synced: the snapshot has no tasks; if that is correct, allow it with --allow-empty',
    )
    assert.match(String(await sync(content, { allowEmpty: true })), /11 of the 11 tasks .* --max-gone 11$/)
    assert.deepEqual(await traces(), before)
    assert.deepEqual(await sync(content, { allowEmpty: true, maxGone: { percent: 100 } }), counts(0, 0, 11, 0))
  })

for (const [what, content, complaint] of [
  ['an array that is not closed', '[{"id":"0","title":"Task 0"},\n', /ends before its array/],
  ['an array that ends within a record', '[{"id":"0","title":"Task 0"},{"id":"1","ti', /ends within this record/],
  ['NDJSON that ends within a line', '{"id":"0","title":"Task 0"}\n{"id":"1","title":"Ta', /line 2: /],
  ['CSV that ends within quotes', 'id,title\n0,Task 0\n1,"Ta', /line 3: a quote that opens here is never closed/],
  ['CSV that ends within a row', 'id,title,details\n0,Task 0,\n1,Task', /line 3: has 2 cells where the header has 3/],
] as const)
  testOnce(`a truncated snapshot is rejected: ${what}`, async (t) => {
    const { sync, traces } = await startSyncing(t)
    await sync(manyTasks(3))
    const before = await traces()
    const said = String(await sync(content, { maxGone: { percent: 100 } }))
    assert.match(said, complaint)
    assert.match(said, /nothing was synced: 1 bad record$/)
    assert.deepEqual(await traces(), before)
  })

test('a snapshot whose input fails changes nothing', async (t) => {
  const { sync, traces } = await startSyncing(t)
  await sync(manyTasks(3))
  const before = await traces()
  const failing = (async function* () {
    yield Buffer.from('{"id":"0","title":"Task 0"}\n')
    throw new Error('the connection was lost')
  })()
  assert.equal(await sync(failing, { maxGone: { percent: 100 } }), 'the connection was lost')
  assert.deepEqual(await traces(), before)
})

test('an id that belongs to another source or was imported, and a duplicate id, are rejected by name', async (t) => {
  const { sync, import: take, traces } = await startSyncing(t)
  await take([{ id: 'mine', title: 'Imported' }])
  await sync([{ id: 'other', title: 'Other' }], { source: 'other' })
  const before = await traces()
  assert.equal(
    await sync(titled({ mine: 'Imported', new: 'New', other: 'Other' })),
    'nothing was synced: 2 ids do not belong to this source: "mine" (imported), "other" (source other); ' +
      "use other ids, or delete those tasks first with 'vitrine task delete --workspace acme ID'",
  )
  assert.match(
    String(await sync(titled({ new: 'New', other: 'Other' }))),
    /^nothing was synced: 1 id does not belong to this source: "other" \(source other\); /,
  )
  assert.equal(
    await sync([
      { id: 'new', title: 'New' },
      { id: 'new', title: 'Newer' },
    ]),
    'nothing was synced: duplicate ids: "new"',
  )
  assert.match(String(await sync([{ id: 'new', deleted: true }])), /deleted cannot be used in a snapshot/)
  assert.match(
    String(await sync([{ id: 'a', title: 'A' }], { source: 'No!' })),
    /^'No!' is not a valid source name: use 1 to 64 /,
  )
  assert.deepEqual(await traces(), before)
})

test('an import neither changes nor deletes synced rows', async (t) => {
  const { sync, import: take, traces } = await startSyncing(t)
  await sync([{ id: 'a', title: 'A' }])
  const before = await traces()
  const refusal = /^nothing was imported: 1 task belongs to a source, .* "a" \(source tracker\); change it there/
  assert.match(String(await take([{ id: 'a', title: 'A' }])), refusal)
  assert.match(
    String(
      await take([
        { id: 'b', title: 'B' },
        { id: 'a', deleted: true },
      ]),
    ),
    refusal,
  )
  assert.deepEqual(await traces(), before)
})

test('a workspace has a bounded number of sources', async (t) => {
  const { sync, elsewhere, workspace, tasks } = await startSyncing(t)
  await elsewhere.run(
    Array.from(
      { length: 100 },
      (_, i) =>
        `INSERT INTO sources (workspace_id, list, name, created_at) VALUES ('${workspace.id}', 'tasks', 's${i}', '${NOW}')`,
    ).join(';'),
  )
  assert.match(String(await sync(manyTasks(1))), /already has 100 sources of tasks/)
  assert.deepEqual(await tasks(), [])
  assert.deepEqual(await sync(manyTasks(1), { source: 's7' }), counts(1, 0, 0, 0))
})

test('an emptied source is forgotten, unless its sync is repeated', async (t) => {
  const { store, workspace, sync } = await startSyncing(t)
  const names = async () => (await store.read((tx) => listSources(tx, workspace.id))).map(({ name }) => name)
  for (const everySeconds of [undefined, 300]) {
    await sync(manyTasks(3), { everySeconds })
    assert.deepEqual(await names(), ['tracker'])
    await sync([], { allowEmpty: true, everySeconds })
    assert.deepEqual(await names(), everySeconds === undefined ? [] : ['tracker'])
  }
})

test('writes after the comparison are noticed: it is repeated before anything is written', async (t) => {
  const { sync, store, workspace, elsewhere, interleaved } = await startSyncing(t)
  const { put, remove } = rowsOf(store, currentTasks, workspace.id)
  await sync(manyTasks(30))
  const edited = interleaved(() => put([{ id: '1', title: 'by hand' }], 'tracker'))
  assert.deepEqual(await edited(manyTasks(30)), counts(0, 1, 0, 29))
  assert.deepEqual(await edited(manyTasks(31)), counts(1, 1, 0, 29))
  assert.equal((await storedRows(elsewhere)).find(({ id }) => id === '1')?.title, 'Task 1')
  // The removals are also checked again.
  const filled = interleaved(async () => {
    const ids = ['10', '11', '12', '13', '14', '15']
    await remove(ids)
    await put(
      ids.map((id) => ({ id: `moved ${id}`, title: 'Moved' })),
      'tracker',
    )
  })
  assert.match(String(await filled(manyTasks(25))), /12 of the 31 tasks of tracker would be removed/)
})

const dated = (count: number, of = count) =>
  manyTasks(count).map((task, i) => (i < of ? { ...task, dueAt: '2026-11-16T16:00:00Z', bookKey: 'k' } : task))

test("a snapshot without a field that most of the source's rows have is rejected, unless it is allowed", async (t) => {
  const { sync, traces } = await startSyncing(t)
  await sync([{ id: 'other', title: 'Other' }], { source: 'other' })
  await sync(dated(30, 16))
  const before = await traces()
  const undated = dated(30, 16).map((task) => ({ ...task, dueAt: null }))
  for (const dryRun of [true, false])
    assert.match(
      String(await sync(undated, { dryRun })),
      /^nothing was synced: no task of the snapshot has dueAt \(in 16 of 30 now\); .* --allow-missing dueAt$/,
    )
  assert.match(String(await sync(manyTasks(30), { allowMissing: ['dueAt'] })), /no task of the snapshot has bookKey/)
  assert.match(String(await sync(manyTasks(30))), / --allow-missing dueAt,bookKey$/)
  const blank = dated(30, 16).map((task) => ({ ...task, bookKey: '' }))
  assert.match(String(await sync(blank)), /no task of the snapshot has bookKey \(in 16 of 30 now\)/)
  assert.deepEqual(await traces(), before)
  assert.deepEqual(await sync(undated, { allowMissing: ['dueAt'] }), counts(0, 16, 0, 14))
  assert.deepEqual(await sync(undated), counts(0, 0, 0, 30), 'nothing is left to vanish')
})

test('a field may disappear from half of a source, from a small one, and while one task keeps it', async (t) => {
  const { sync } = await startSyncing(t)
  await sync(dated(30, 15))
  assert.deepEqual(await sync(manyTasks(30)), counts(0, 15, 0, 15))
  await sync(dated(30))
  assert.deepEqual(await sync(dated(30, 1)), counts(0, 29, 0, 1))
  const small = (isDated: boolean) =>
    (isDated ? dated(2) : manyTasks(2)).map((task) => ({ ...task, id: `s${task.id}` }))
  await sync(small(true), { source: 'small' })
  assert.deepEqual(await sync(small(false), { source: 'small' }), counts(0, 2, 0, 0))
})

for (const more of [
  { hasMore: true },
  { has_more: true, next_cursor: 'x' },
  { next: 'https://tracker.example/tasks?page=2' },
  { next_page: { offset: 'x' } },
  { nextCursor: 'x' },
  { nextPageToken: 7 },
  { '@odata.nextLink': 'https://tracker.example/tasks?skip=100' },
])
  testOnce(`a page that announces more pages is rejected: ${Object.keys(more)[0]}`, async (t) => {
    const { sync, traces } = await startSyncing(t)
    const before = await traces()
    const said = String(await sync(JSON.stringify({ tasks: [...manyTasks(3), { id: 'without a title' }], ...more })))
    assert.doesNotMatch(said, /title is required/, 'the real cause would be hidden')
    assert.ok(said.includes(`is one page of several (see its ${Object.keys(more)[0]}); pass all pages`), said)
    assert.deepEqual(await traces(), before)
  })

testOnce('the last page completes a snapshot', async (t) => {
  const { sync } = await startSyncing(t)
  const last = {
    hasMore: false,
    has_more: false,
    next: null,
    next_page: {},
    nextCursor: '',
    nextPageToken: null,
    '@odata.nextLink': '',
  }
  assert.deepEqual(await sync(JSON.stringify({ tasks: manyTasks(3), ...last })), counts(3, 0, 0, 0))
})
