import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordSchema } from '../../src/import/record-schema.ts'
import { fieldsOf } from '../../src/lists/definition.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { columns } from './kinds.ts'

const { toRow } = recordSchema(currentTasks)

const rowOf = (value: unknown) => {
  const result = toRow(value)
  assert.ok('row' in result, JSON.stringify(result))
  return result.row
}

const faultsOf = (value: unknown) => {
  const result = toRow(value)
  assert.ok('problems' in result, 'it was accepted')
  return result.problems
}

const bareTask = {
  id: 'a',
  title: 'One',
  details: null,
  dueAt: null,
  bookKey: null,
  assigneeName: null,
  assigneeEmail: null,
  sourceSessionId: null,
  sourceTitle: null,
  sourceSummary: null,
  sourceKind: null,
  status: 'open',
  snoozedUntil: null,
  createdAt: null,
}

test('a record needs only id and title; the rest is null, and the task is open', () => {
  assert.deepEqual(rowOf({ id: 'a', title: 'One' }), bareTask)
})

test('null means the same as leaving a field out, even for the status', () => {
  const { id, title, ...optional } = bareTask
  const nulls = Object.fromEntries(Object.keys(optional).map((name) => [name, null]))
  assert.deepEqual(rowOf({ id, title, ...nulls }), bareTask)
})

test('every field is accepted, and every instant is converted to UTC and milliseconds', () => {
  const record = {
    id: 'a',
    title: 'One',
    details: 'Two',
    dueAt: '2026-11-16T16:00:00+09:00',
    bookKey: 'linen',
    assigneeName: 'Priya Raman',
    assigneeEmail: 'Priya@northwind.example',
    sourceSessionId: 's1',
    sourceTitle: 'A call',
    sourceSummary: '',
    sourceKind: 'meeting',
    status: 'completed',
    snoozedUntil: '2026-11-15T13:00:01.5Z',
    createdAt: '2026-01-01t00:00:00.123456z',
  }
  assert.deepEqual(rowOf(record), {
    ...record,
    dueAt: '2026-11-16T07:00:00.000Z',
    snoozedUntil: '2026-11-15T13:00:01.500Z',
    createdAt: '2026-01-01T00:00:00.123Z',
  })
})

test('all faults of a record are reported at once', () => {
  assert.deepEqual(
    faultsOf({
      title: '',
      dueAt: '2026-02-30T09:00:00Z',
      assigneeEmail: 'priya',
      status: 'done',
      details: 7,
      colour: 'red',
    }).sort(),
    [
      'assigneeEmail must be an email address',
      'colour is not a known field',
      'details must be a string or null',
      'dueAt must be a valid date and time with an offset, such as 2026-11-15T09:00:00Z',
      'id is required',
      'status must be one of open, completed, cancelled',
      'title must not be empty',
    ],
  )
})

const refused: [what: string, value: unknown, fault: string][] = [
  ['an id that is null', { id: null, title: 'One' }, 'id must be a string'],
  [
    'an id that is a number',
    { id: 7, title: 'One' },
    'id must be a string; a map accepts numbers as ids: see --map and docs/maps.md',
  ],
  [
    'a snooze without an offset',
    { id: 'a', title: 'One', snoozedUntil: '2026-11-15T09:00:00' },
    'snoozedUntil must be a valid date and time with an offset, such as 2026-11-15T09:00:00Z',
  ],
  [
    'a creation on an invalid day',
    { id: 'a', title: 'One', createdAt: '2026-11-31T09:00:00Z' },
    'createdAt must be a valid date and time with an offset, such as 2026-11-15T09:00:00Z',
  ],
  ['a NUL character', { id: 'a', title: 'O\0ne' }, 'title must not contain a NUL character or a lone surrogate'],
  [
    'half of a surrogate pair',
    { id: 'a\ud800', title: 'One' },
    'id must not contain a NUL character or a lone surrogate',
  ],
  [
    'a field that every object inherits',
    JSON.parse('{"id":"a","title":"One","__proto__":1}'),
    '__proto__ is not a known field',
  ],
  ['an array', [], 'the record must be an object'],
  ['a string', 'a', 'the record must be an object'],
  ['null', null, 'the record must be an object'],
]

for (const [what, value, fault] of refused) {
  test(`refused: ${what}`, () => assert.deepEqual(faultsOf(value), [fault]))
}

test('however many unknown fields a record has, it is rejected and its other faults are reported', () => {
  for (const n of [1, 7, 8, 9, 50]) {
    const strangers = Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, 1]))
    const record = { id: 'a', title: 'A', dueAt: 'tomorrow', assigneeEmail: 'no email', ...strangers }
    const fields = faultsOf(record).map((problem) => problem.split(' ')[0])
    for (const field of ['k0', 'dueAt', 'assigneeEmail']) assert.ok(fields.includes(field), `${field} of ${n}`)
  }
})

test('a text over its limit is rejected with the limit and its length, in characters', () => {
  assert.deepEqual(faultsOf({ id: 'x'.repeat(201), title: '👜'.repeat(501), bookKey: '👜'.repeat(200) }), [
    'id must be at most 200 characters, and has 201',
    'title must be at most 500 characters, and has 501',
  ])
})

const NINES = '9'.repeat(38)
/** Of each field, values that are accepted, and values that are not. */
const parcelValues: Record<string, [accepted: unknown[], refused: unknown[]]> = {
  rate: [
    ['0', '0.0', '-0.10', '1240.50', NINES, `-${NINES}`, `${'9'.repeat(20)}.${'0'.repeat(18)}`, '-1', '10'],
    [
      ...['007', '-0', '-0.00', '1.', '.5', '1e5', '00', '-01.5', 'NaN', 'Infinity', '', '-', '--1', '1-2', '1.2.3'],
      ...['1,5', '+-1', `${NINES}9`, `${'9'.repeat(21)}.${'0'.repeat(18)}`, `0.${'1'.repeat(19)}`],
    ],
  ],
  day: [
    ['0001-01-01', '9999-12-31', '2024-02-29'],
    ['10000-01-01', '0000-12-31', '2026-02-29', '2026-13-01', '2026-04-31', '2026-1-01', '', '2026-11-16x'],
  ],
  image: [
    ['http://a', 'HTTPS://a.b:1/c?d=e#f', "http://u@[::1]/!$&'()*+,;=%20~-._", `http://${'a'.repeat(33)}`],
    [
      ...['', 'http://', 'ftp://a', 'a.b', '//a.b', 'http://a b', 'http://a\tb', 'http://é.pt', 'http://a/"'],
      ...['xhttp://a', `http://${'a'.repeat(34)}`],
    ],
  ],
  checked: [
    [true, false, null],
    [0, 'true'],
  ],
  state: [['open', 'closed', null], ['lost']],
  tags: [
    [[], ['a', 'b', 'c'], ['🎄'.repeat(20)], ['"', '\\', '\n\u0001'], ['']],
    [['a', 'b', 'c', 'd'], ['a'.repeat(21)], [1], [null], [['a']], 'a', {}, ['\0']],
  ],
}

for (const [field, [accepted, refused]] of Object.entries(parcelValues))
  test(`a value of each kind is checked: ${field}`, () => {
    const schema = recordSchema({ fields: fieldsOf(columns) })
    const record = { id: 'a', site: 'http://a', day: '2026-11-16', rate: '1', tags: [] }
    const isAccepted = (value: unknown) => 'row' in schema.toRow({ ...record, [field]: value })
    for (const value of accepted) assert.ok(isAccepted(value), JSON.stringify(value))
    for (const value of refused) assert.ok(!isAccepted(value), JSON.stringify(value))
  })
