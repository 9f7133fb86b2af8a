import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { idsIn, startAsking } from './asking.ts'

const nikos = { assigneeName: 'Νίκος Παππάς', assigneeEmail: 'Nikos@Acme.example' }
const priya = { assigneeName: 'Priya Ångström', assigneeEmail: 'priya@acme.example' }

/** It is noon on Sunday, 15 November 2026, in London. */
const TASKS = [
  { id: 'old', dueAt: '2026-11-08T23:59:59.999Z', bookKey: 'shoes', ...nikos },
  { id: 'late', dueAt: '2026-11-14T09:00:00.000Z', title: 'Order LINEN in Zürich', bookKey: 'hats', ...priya },
  { id: 'morning', dueAt: '2026-11-15T11:59:59.999Z', bookKey: 'shoes', sourceSessionId: 's-1', ...priya },
  {
    id: 'noon',
    dueAt: '2026-11-15T12:00:00.000Z',
    details: 'It is 100% linen_ware',
    sourceSessionId: 's-2',
    sourceKind: 'mail',
  },
  { id: 'evening', dueAt: '2026-11-15T18:00:00.000Z', assigneeName: 'Priya of the office' },
  { id: 'tomorrow', dueAt: '2026-11-16T00:00:00.000Z', sourceTitle: 'Call about linen', sourceSummary: 'In ZURICH' },
  { id: 'seventh', dueAt: '2026-11-21T23:59:59.999Z', bookKey: 'Shoes' },
  { id: 'eighth', dueAt: '2026-11-22T00:00:00.000Z', assigneeEmail: 'sam@acme.example' },
  { id: 'undated', ...priya },
  { id: 'asleep', dueAt: '2026-11-15T13:00:00.000Z', snoozedUntil: '2027-01-01T00:00:00.000Z', bookKey: 'linen' },
  { id: 'done', dueAt: '2026-11-15T13:00:00.000Z', status: 'completed', bookKey: 'linen', ...nikos } as const,
]

async function start(t: TestContext) {
  const service = await startAsking(t)
  await service.addTasks(TASKS)
  return service
}

const questions: Record<string, [args: object, ids: string][]> = {
  'due means days of the workspace, and overdue means before now': [
    [{ due: 'overdue' }, 'old late morning'],
    [{ due: 'today' }, 'morning noon evening'],
    [{ due: 'tomorrow' }, 'tomorrow'],
    [{ due: 'this_week' }, 'late morning noon evening'],
    [{ due: 'next_7_days' }, 'noon evening tomorrow seventh'],
    [{ due: 'none' }, 'undated'],
  ],
  'dueAfter is inclusive, dueBefore exclusive, and a date is its beginning': [
    [{ dueAfter: '2026-11-16', dueBefore: '2026-11-22' }, 'tomorrow seventh'],
    [{ dueAfter: '2026-11-15T12:00:00Z', dueBefore: '2026-11-15T19:00:00+01:00' }, 'noon'],
    [{ dueBefore: '2026-11-15' }, 'old late'],
    [{ dueBefore: '9999-12-31T23:59:59Z' }, 'old late morning noon evening tomorrow seventh eighth'],
  ],
  'assignee is part of a name or a whole address, without regard to case and accents': [
    [{ assignee: 'PRIYA' }, 'late morning evening undated'],
    [{ assignee: 'ångstr' }, 'late morning undated'],
    [{ assignee: 'A\u030angstr' }, 'late morning undated'],
    [{ assignee: 'angstrom,' }, 'late morning undated'],
    [{ assignee: 'νικος' }, 'old'],
    [{ assignee: 'ΝΊΚΟΣ' }, 'old'],
    [{ assignee: 'NIKOS@acme.EXAMPLE' }, 'old'],
    [{ assignee: 'sam@acme.example' }, 'eighth'],
  ],
  'assigneeEmail is a whole address, without regard to case': [
    [{ assigneeEmail: 'nikos@ACME.example' }, 'old'],
    [{ assigneeEmail: 'SAM@acme.example' }, 'eighth'],
    [{ assigneeEmail: 'priya@acme' }, ''],
    [{ assigneeEmail: '%@acme.example' }, ''],
    // Only ASCII letters have a case here.
    [{ assigneeEmail: '\u017Fam@acme.example' }, ''],
    [{ assigneeEmail: 'pr\u0131ya@acme.example' }, ''],
    [{ assigneeEmail: 'PR\u0130YA@acme.example' }, ''],
    [{ assigneeEmail: '\uFF30riya@acme.example' }, ''],
  ],
  'workspaceWide leaves tasks without a book, and false leaves all': [
    [{ workspaceWide: true }, 'noon evening tomorrow eighth undated'],
    [{ workspaceWide: true, assignee: 'priya' }, 'evening undated'],
    [{ workspaceWide: false, bookKey: 'Shoes' }, 'seventh'],
  ],
  'unassigned leaves tasks with neither a name nor an address': [[{ unassigned: true }, 'noon tomorrow seventh']],
  'bookKey, sourceSessionId and sourceKind are exact': [
    [{ bookKey: 'shoes' }, 'old morning'],
    [{ bookKey: 'Shoes' }, 'seventh'],
    [{ bookKey: "x' OR '1'='1" }, ''],
    [{ sourceSessionId: 's-1' }, 'morning'],
    [{ sourceKind: 'mail' }, 'noon'],
    [{ sourceKind: 'Mail' }, ''],
  ],
  'query finds words in any of the texts, as parts, without regard to case and accents': [
    [{ query: 'linen' }, 'late noon tomorrow'],
    [{ query: 'LINEN zürich' }, 'late tomorrow'],
    [{ query: 'zurich  call' }, 'tomorrow'],
    [{ query: 'angstrom' }, 'late morning undated'],
    [{ query: 'ÅNGSTRÖM ｌｉｎｅｎ' }, 'late'],
    [{ query: 'hats' }, 'late'],
    [{ query: 'νίκοσ' }, 'old'],
    [{ query: 'in' }, 'late noon tomorrow'],
  ],
  'punctuation separates the words of a query, and of texts': [
    [{ query: '100%' }, 'noon'],
    [{ query: 'linen, 100' }, 'noon'],
    [{ query: 'call/linen - (zurich)' }, 'tomorrow'],
    [{ query: 'linen-ware' }, 'noon'],
    [{ query: "O'Zurich" }, 'late tomorrow'],
    [{ query: 'priya@hats' }, 'late'],
    [{ query: 'linen or ware' }, ''],
  ],
  'words in double quotes stand together': [
    [{ query: '"about linen"' }, 'tomorrow'],
    [{ query: '"ABOUT, linen" zurich' }, 'tomorrow'],
    [{ query: '“linen ware”' }, 'noon'],
    [{ query: '"linen about"' }, ''],
    [{ query: '"linen in zurich"' }, 'late'],
    [{ query: '"hats priya"' }, ''],
    [{ query: '"or" linen' }, 'late'],
    [{ query: 'about "linen' }, 'tomorrow'],
    [{ query: 'about ""' }, 'tomorrow'],
  ],
}

for (const [what, asked] of Object.entries(questions))
  test(what, async (t) => {
    const { ways } = await start(t)
    for (const { where, ask } of ways)
      for (const [args, ids] of asked) {
        const page = await ask(args)
        assert.equal(idsIn(page), ids, `${where}: ${JSON.stringify(args)}`)
        assert.equal(page.total, ids === '' ? 0 : ids.split(' ').length)
        assert.equal(page.localDate, '2026-11-15')
      }
  })

const faults: [args: object, fault: RegExp][] = [
  [{ due: 'yesterday' }, /due must be one of overdue, today, tomorrow, this_week, next_7_days, none/],
  [{ due: 'today', dueAfter: '2026-11-15' }, /dueAfter cannot be combined with due; leave one out/],
  [{ due: 'today', dueBefore: '2026-11-15' }, /dueBefore cannot be combined with due; leave one out/],
  [
    { dueAfter: '2026-11-16', dueBefore: '2026-11-16' },
    /dueAfter must be earlier than dueBefore.*Today is 2026-11-15/s,
  ],
  [{ dueAfter: '2026-11-16', dueBefore: '2026-11-15T23:00:00Z' }, /dueAfter must be earlier than dueBefore/],
  [{ assignee: '' }, /assignee must not be empty; leave it out to not filter by it/],
  [{ assignee: ' \t' }, /assignee must not be empty/],
  [{ assigneeEmail: 'priya' }, /assigneeEmail must be a whole email address, such as/],
  [{ assigneeEmail: '' }, /assigneeEmail must not be empty/],
  [{ bookKey: '' }, /bookKey must not be empty/],
  [{ bookKey: 'x'.repeat(321) }, /bookKey must have at most 320 characters/],
  [{ assignee: 'x'.repeat(300_000) }, /assignee must have at most 320 characters/],
  [{ ids: ['x'.repeat(321)] }, /ids must have at most 320 characters/],
  [{ sourceSessionId: '' }, /sourceSessionId must not be empty/],
  [{ unassigned: 'true' }, /unassigned must be a boolean/],
  [{ unassigned: true, assignee: 'x' }, /assignee cannot be combined with unassigned; leave one out/],
  [{ unassigned: true, assigneeEmail: 'x@y.example' }, /assigneeEmail cannot be combined with unassigned/],
  ...['', ' \u3000\n', '%', '"" - ""', '👜\ufe0f'].map((query): [object, RegExp] => [
    { query },
    /query must have a letter or digit; leave it out to not filter by it/,
  ]),
  [{ assignee: '-' }, /assignee must have a letter or digit/],
  ...['linen OR towels', 'linen AND towels', 'NOT linen', 'NOT "linen order"', 'linen -order', '-"linen order"'].map(
    (query): [object, RegExp] => [{ query }, /query has no operators such as OR, AND, NOT or -word.*ask twice/],
  ),
  [{ workspaceWide: true, bookKey: 'shoes' }, /bookKey cannot be combined with workspaceWide; leave one out/],
  [{ sourceKind: '' }, /sourceKind must not be empty/],
  [{ query: 'x'.repeat(201) }, /query must be words in one string of at most 200 characters/],
  [{ query: ['linen'] }, /query must be words in one string/],
  [{ query: 'a\0' }, /query must not contain a NUL character/],
  [{ bookKey: '\ud800' }, /must not contain a NUL character/],
  [{ assigneeEmail: '\0' }, /must not contain a NUL character/],
  [{ ids: [] }, /ids must not be empty/],
  [{ ids: Array.from({ length: 101 }, (_, i) => `t${i}`) }, /ids must have at most 100 items, and has 101/],
  [{ ids: ['a', 7] }, /ids has an item that must be a string/],
  [{ ids: ['a', ''] }, /ids must not be empty/],
  [{ ids: 'a' }, /ids must be an array/],
  [{ countBy: 'title' }, /countBy must be one of assignee, bookKey, sourceKind, sourceSessionId, dueDate/],
  [{ countBy: 'bookKey', cursor: 'x' }, /cursor cannot be combined with countBy; leave one out/],
  [{ limit: 0, bookKey: 1, dueBefore: 'soon', nonsense: true }, /nonsense.*dueBefore.*bookKey.*limit/s],
  [JSON.parse('{"__proto__":{"limit":1}}'), /__proto__/],
]
for (const limit of [0, -1, 101, 1.5, 1e9, '5', null, true, [1]])
  faults.push([{ limit }, /limit must be a whole number from 1 to 100/])
for (const name of ['bookKey', 'assignee', 'assigneeEmail', 'sourceSessionId'])
  for (const value of [1, null, false, ['shoes'], { eq: 'shoes' }])
    faults.push([{ [name]: value }, new RegExp(`${name} must be a string`)])
for (const dueBefore of ['2026-11-31', '2026-11-16T10:00:00', 'tomorrow', '', '1763287200', '2026-11-16T25:00:00Z'])
  faults.push([{ dueBefore }, /dueBefore must be a valid date.*Today is 2026-11-15/s])
for (const name of ['Limit', 'status', '_meta', 'constructor', 'toString'])
  faults.push([{ [name]: 'x' }, new RegExp(`\\b${name}\\b`)])

test('an argument that is unknown or cannot match is an error that names the fix', async (t) => {
  const { ways } = await start(t)
  for (const { where, fault } of ways)
    for (const [args, expected] of faults) assert.match(await fault(args), expected, where)
})

test('200 characters are counted as people count them', async (t) => {
  const { ways, addTasks } = await start(t)
  for (const { ask } of ways) assert.equal((await ask({ query: `z${'👜'.repeat(199)}` })).total, 2)
  const [id, bookKey] = ['👜'.repeat(200), '👠'.repeat(200)]
  await addTasks([{ id, bookKey }])
  for (const { where, ask } of ways)
    for (const args of [{ ids: [id] }, { bookKey }]) assert.equal(idsIn(await ask(args)), id, where)
})

test('a filter covers all current tasks, not only the first 100', async (t) => {
  const { ways, addTasks } = await start(t)
  await addTasks(Array.from({ length: 150 }, (_, n) => ({ id: `early${n}`, dueAt: '2026-01-01T00:00:00.000Z' })))
  for (const { where, ask } of ways) {
    const page = await ask({ bookKey: 'Shoes' })
    assert.deepEqual([idsIn(page), page.total], ['seventh', 1], where)
    assert.equal((await ask({ limit: 1 })).total, 159)
  }
})
