/** What `task list`, `task show` and `task delete` print. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { acmeProgram, type Program } from '../support/program.ts'

const FAR = '2999-01-01T00:00:00.000Z'

interface Listed {
  id: string
  source: string | null
  whyNotAnswered: string | null
}

const importOf = async (vitrine: Program, singular: string, records: object[]) => {
  vitrine.writeFile('rows.json', JSON.stringify(records))
  await vitrine.ok(singular, 'import', '--workspace', 'acme', 'rows.json')
}

/** The program with tasks in every state. */
async function acme(t: TestContext) {
  const vitrine = await acmeProgram(t)
  await importOf(vitrine, 'task', [
    { id: 'undated', title: 'No date' },
    { id: 'late', title: 'Late', dueAt: '2026-11-17T07:00:00Z' },
    { id: 'early', title: 'Early', dueAt: '2026-11-16T07:00:00Z', details: 'one\ntwo\x1b[2J' },
    { id: 'done', title: 'Done', dueAt: '2026-11-16T08:00:00Z', status: 'completed' },
    { id: 'off', title: 'Off', status: 'cancelled' },
    { id: 'asleep', title: 'Asleep', dueAt: '2026-11-18T07:00:00Z', snoozedUntil: FAR },
    { id: 'woken', title: 'Awake again', dueAt: '2026-11-16T09:00:00Z', snoozedUntil: '2001-01-01T00:00:00Z' },
  ])
  await vitrine.execute(`UPDATE list_items SET source = 'jira' WHERE id IN ('early', 'done')`)
  const list = (...options: string[]): Promise<Listed[]> =>
    vitrine.jsonLines('task', 'list', '--workspace', 'acme', ...options)
  return { vitrine, list }
}

const stateOf = ({ id, source, whyNotAnswered }: Listed) => `${id} ${source ?? '-'} ${whyNotAnswered ?? 'current'}`

test('task list shows the tasks in the response, in its order', async (t) => {
  const { vitrine, list } = await acme(t)
  const { token: key } = await vitrine.createKey()
  const server = await vitrine.serve()
  const response = await fetch(`${server.url}/tasks`, { headers: { authorization: `Bearer ${key}` } })
  const { tasks } = (await response.json()) as { tasks: Listed[] }
  const listed = await list()
  assert.deepEqual(
    listed.map(({ id }) => id),
    tasks.map(({ id }) => id),
  )
  assert.deepEqual(listed.map(stateOf), [
    'early jira current',
    'woken - current',
    'late - current',
    'undated - current',
  ])
  for (const [i, task] of tasks.entries())
    assert.deepEqual({ ...listed[i], ...task }, listed[i], 'a listed task has every field of the response')
})

test('task list --all shows why each other task is not in the response', async (t) => {
  const { vitrine, list } = await acme(t)
  assert.deepEqual((await list('--all')).map(stateOf), [
    'early jira current',
    'done jira completed',
    'woken - current',
    'late - current',
    `asleep - snoozed until ${FAR}`,
    'undated - current',
    'off - cancelled',
  ])
  assert.equal(
    await vitrine.ok('task', 'list', '--workspace', 'acme', '--all'),
    [
      'ID       DUE AT                    SOURCE  STATE                                   TITLE',
      'early    2026-11-16T07:00:00.000Z  jira    current                                 Early',
      'done     2026-11-16T08:00:00.000Z  jira    completed                               Done',
      'woken    2026-11-16T09:00:00.000Z  -       current                                 Awake again',
      'late     2026-11-17T07:00:00.000Z  -       current                                 Late',
      'asleep   2026-11-18T07:00:00.000Z  -       snoozed until 2999-01-01T00:00:00.000Z  Asleep',
      'undated  -                         -       current                                 No date',
      'off      -                         -       cancelled                               Off',
    ].join('\n'),
  )
  await vitrine.ok('workspace', 'archive', 'acme')
  assert.deepEqual((await list()).map(stateOf)[0], 'early jira workspace archived')
  assert.equal(JSON.parse(await show(vitrine, 'early', '--json')).whyNotAnswered, 'workspace archived')
})

const show = (vitrine: Program, id: string, ...options: string[]) =>
  vitrine.ok('task', 'show', '--workspace', 'acme', id, ...options)

test('task show prints everything that is stored, and no terminal control characters', async (t) => {
  const { vitrine } = await acme(t)
  const filled = (await show(vitrine, 'early')).split('\n').filter((line) => !line.endsWith(' -'))
  assert.equal(
    filled.join('\n'),
    `id               early
title            Early
details          one
                 two\uFFFD[2J
dueAt            2026-11-16T07:00:00.000Z
status           open
createdAt        ${JSON.parse(await show(vitrine, 'early', '--json')).createdAt}
source           jira
state            current`,
  )
  // CSI and a right-to-left override, which JSON may contain unescaped.
  const title = 'a\x9B2Jb\u202Ec'
  await importOf(vitrine, 'task', [{ id: 'controls', title }])
  for (const json of [
    await show(vitrine, 'controls', '--json'),
    await vitrine.ok('task', 'list', '--workspace', 'acme', '--json'),
  ]) {
    assert.ok(json.includes('"a\\u009b2Jb\\u202ec"'), json)
    assert.ok(JSON.parse(json.split('\n').at(-1) ?? '').title === title)
  }
  const shown = JSON.parse(await show(vitrine, 'asleep', '--json'))
  assert.equal(shown.snoozedUntil, FAR)
  assert.equal(shown.whyNotAnswered, `snoozed until ${FAR}`)
})

test('task delete removes one task, records it, and explains what the next sync does', async (t) => {
  const { vitrine, list } = await acme(t)
  const { token: key } = await vitrine.createKey()
  const server = await vitrine.serve()
  const answered = async () => {
    const response = await fetch(`${server.url}/tasks`, { headers: { authorization: `Bearer ${key}` } })
    return ((await response.json()) as { tasks: Listed[] }).tasks.map(({ id }) => id)
  }
  assert.ok((await answered()).includes('late'))
  const deleted = await vitrine.run('task', 'delete', '--workspace', 'acme', 'late')
  assert.deepEqual(deleted, { code: 0, stdout: '', stderr: 'Deleted the task late of acme.\n' })
  assert.deepEqual(await answered(), ['early', 'woken', 'undated'])

  const synced = await vitrine.run('task', 'delete', '--workspace', 'acme', 'early', '--json')
  assert.equal(JSON.parse(synced.stdout).title, 'Early')
  assert.equal(synced.stderr, 'It was synced from jira: the next sync brings it back, unless it is deleted there.\n')
  assert.deepEqual(
    (await list()).map(({ id }) => id),
    ['woken', 'undated'],
  )
  const entries = await vitrine.jsonLines('audit', '--workspace', 'acme')
  assert.deepEqual(
    entries.slice(0, 2).map(({ action, subject, detail }) => ({ action, subject, detail })),
    [
      { action: 'tasks.deleted', subject: 'early', detail: { source: 'jira' } },
      { action: 'tasks.deleted', subject: 'late', detail: {} },
    ],
  )
  assert.match(await vitrine.ok('audit', 'verify'), /^ok/)
  vitrine.writeFile('jira.json', '[{"id":"early","title":"Early"},{"id":"done","title":"Done"}]')
  const sync = await vitrine.ok('task', 'sync', '--workspace', 'acme', '--source', 'jira', 'jira.json', '--json')
  assert.equal(JSON.parse(sync).created, 1)
  assert.equal((await list()).find(({ id }) => id === 'early')?.source, 'jira')
  assert.equal(
    await vitrine.fails(1, 'task', 'delete', '--workspace', 'acme', 'late'),
    "vitrine: no task of acme has the id late; 'vitrine task list --workspace acme --all' shows them\n",
  )
})
