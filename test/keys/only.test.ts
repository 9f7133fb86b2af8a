import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkOnly, formatOnly, type OnlyText, onlySentence } from '../../src/keys/only.ts'
import { listsOf } from '../../src/lists/definition.ts'
import { resources } from '../resources/declared/orders.ts'

const lists = listsOf(resources)
const limit = (given: OnlyText) => checkOnly(given, lists)

test('a limit has one spelling', () => {
  const only = { orders: { status: ['draft'] }, tasks: { assigneeEmail: ['ana@x.example', 'bo@x.example'] } }
  const typed = [
    'tasks.assigneeEmail=bo@x.example,ANA@x.example, bo@X.example',
    'orders.status=draft',
    'tasks.assigneeEmail=bo@x.example',
  ]
  assert.deepEqual(limit(typed), { only })
  const json = limit({ tasks: { assigneeEmail: ['Bo@x.example', 'ana@x.example'] }, orders: { status: ['draft'] } })
  assert.equal(JSON.stringify(json), JSON.stringify({ only }))
  const shown = 'orders.status=draft; tasks.assigneeEmail=ana@x.example,bo@x.example'
  assert.equal(formatOnly(only), shown)
  assert.deepEqual(limit([shown]), { only })
  assert.deepEqual([limit(['everything']), limit(null)], [{ only: null }, { only: null }])
})

test('a value may contain commas, backslashes and equals signs', () => {
  const only = { tasks: { bookKey: ['C:\\new', 'a=b', 'end\\', 'linen, wool'] } }
  const texts = ['tasks.bookKey=C:\\\\new,a=b,end\\\\,linen\\, wool']
  assert.deepEqual(limit(texts), { only })
  assert.deepEqual([formatOnly(only)], texts)
  const other = { tasks: { bookKey: ['home; orders.status=draft', 'end\\'] }, orders: { status: ['sent'] } }
  const checked = limit(other)
  assert.ok('only' in checked)
  assert.deepEqual(limit([formatOnly(checked.only)]), checked, 'a value names no other list')
  assert.deepEqual(limit(['tasks.bookKey=C:\\new']), { only: { tasks: { bookKey: ['C:\\new'] } } })
})

test('a model is told in one sentence what a key sees, however many and long the values are', () => {
  const [tasks] = lists as [(typeof lists)[number]]
  const told = (limit: unknown) => onlySentence(tasks, JSON.stringify(limit))
  assert.equal(told({ tasks: { bookKey: ['linen'] } }), 'This key sees only tasks whose bookKey is "linen".')
  const many = told({ tasks: { bookKey: texts(20, (n) => `${n}`.padEnd(300, 'x')) } })
  assert.match(many, /^This key sees only tasks whose bookKey is "0x{39}…", .* or 15 other values\.$/)
  assert.ok(many.length < 350)
  assert.equal(told({}), 'This key sees no tasks.')
  assert.deepEqual([told({ orders: { status: ['sent'] } }), onlySentence(tasks, null)], ['', ''])
})

const texts = (count: number, of: (n: number) => string) => Array.from({ length: count }, (_, n) => of(n))

const refused: [OnlyText, RegExp][] = [
  [[], /^must have the form LIST\.FIELD=VALUE/],
  [['tasks'], /^must have the form/],
  [['tasks.bookKey'], /^must have the form/],
  [['everything', 'tasks.bookKey=a'], /^must have the form/],
  [{}, /^must have the form/],
  [['task.bookKey=a'], /^there is no list "task"; did you mean tasks\?$/],
  [['workspace.slug=a'], /^there is no list "workspace"/],
  [['__proto__.x=a'], /^there is no list "__proto__"/],
  [['tasks.title=a'], /^tasks cannot be limited by "title"; use bookKey, assigneeEmail, or sourceSessionId$/],
  [['tasks.__proto__=a'], /^tasks cannot be limited by "__proto__"/],
  [['orders.urgent=true'], /^orders cannot be limited by "urgent"; use supplier or status$/],
  [
    ['tasks.bookKey=a', 'tasks.sourceSessionId=b'],
    /^tasks can be limited by one field, not by both bookKey and source/,
  ],
  [['tasks.bookKey='], /^tasks\.bookKey has an empty value$/],
  [['tasks.bookKey=a,,b'], /^tasks\.bookKey has an empty value$/],
  [{ tasks: { bookKey: [] } }, /^tasks\.bookKey needs a value$/],
  [{ tasks: {} }, /^must have the form/],
  [{ tasks: { bookKey: [' a'] } }, /^tasks\.bookKey has a value with white space at an end$/],
  [{ tasks: { bookKey: ['a\0b'] } }, /^tasks\.bookKey has a value that must be 1 to 320 characters, on one line$/],
  [{ tasks: { bookKey: ['a\u202eb'] } }, /^tasks\.bookKey has a value that must not contain U\+202E/],
  [['tasks.assigneeEmail=ana'], /^tasks\.assigneeEmail must be email addresses, but "ana" is none$/],
  [['orders.status=open'], /^orders\.status cannot be "open"; use draft, sent, received, or closed$/],
  [
    { tasks: { bookKey: ['x'.repeat(321)] } },
    /^tasks\.bookKey has a value that must be 1 to 320 characters, on one line$/,
  ],
  [{ tasks: { bookKey: texts(21, String) } }, /^tasks\.bookKey has 21 values; at most 20 are possible$/],
  [
    {
      tasks: { bookKey: texts(20, (n) => `${n}`.padEnd(300)).map((text) => text.replaceAll(' ', 'x')) },
      orders: { supplier: texts(20, (n) => `${n}`.padEnd(300)).map((text) => text.replaceAll(' ', 'x')) },
    },
    /^has too many long values$/,
  ],
]

for (const [given, problem] of refused)
  test(`a limit is refused if it is ${JSON.stringify(given).slice(0, 60)}`, () => {
    const checked = limit(given)
    assert.match('problem' in checked ? checked.problem : '', problem)
  })

test('a key is not repeated by the refusal of its use as a value', () => {
  const token = `vtr_${'a1B2c3D4'.repeat(8)}`
  const checked = limit([`orders.status=${token}`])
  assert.match('problem' in checked ? checked.problem : '', /^orders\.status has a value that must not contain a key/)
})
