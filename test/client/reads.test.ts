import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { type ProblemCode, type Task, Vitrine, VitrineProblem, VitrineToolError } from '../../client/src/index.ts'
import { startService } from '../support/service.ts'
import { noTasks, startScriptedServer } from './scripted-server.ts'

test("the client reads the service's responses, and exposes the quota", async (t) => {
  const service = await startService(t)
  await service.addTasks([{ id: 'task_linen', title: 'Confirm the linen order', dueAt: '2026-11-16T17:00:00.000Z' }])
  // As copied from an address bar.
  const vitrine = new Vitrine({ url: `${service.url}/`, key: service.key })
  assert.equal(new Vitrine(service).quota, undefined)

  const { workspace } = await vitrine.get('/workspace')
  assert.deepEqual([workspace.slug, workspace.timezone], ['acme', 'Europe/London'])
  const { tasks } = await vitrine.get('/tasks')
  assert.deepEqual(
    tasks.map(({ id, title, dueAt }) => ({ id, title, dueAt })),
    [{ id: 'task_linen', title: 'Confirm the linen order', dueAt: '2026-11-16T17:00:00.000Z' }],
  )
  assert.equal(vitrine.quota?.limit, 600)
  assert.equal(vitrine.quota?.remaining, 598)
  assert.ok(vitrine.quota.resetsAt instanceof Date)
})

test('an unchanged response is the same frozen object, and the next call sees a change', async (t) => {
  const service = await startService(t)
  await service.addTasks([{ id: 'one' }])
  const vitrine = new Vitrine(service)
  const [first, atOnce] = await Promise.all([vitrine.get('/tasks'), vitrine.get('/tasks')])
  assert.equal(atOnce, first)
  assert.equal(await vitrine.get('/tasks'), first)
  assert.throws(() => Object.assign(first.tasks[0] ?? {}, { title: 'changed' }), TypeError)
  assert.throws(() => (first.tasks as unknown[]).pop(), TypeError)

  await service.addTasks([{ id: 'two' }])
  const second = await vitrine.get('/tasks')
  assert.deepEqual(
    second.tasks.map(({ id }) => id),
    ['one', 'two'],
  )
  assert.equal(await vitrine.get('/tasks'), second)
})

test('a problem is an error with its code, text and the id in the log', async (t) => {
  const service = await startService(t)
  const { token } = await service.createKey({ permissions: ['workspace:read'] })
  const error = await new Vitrine({ url: service.url, key: token }).get('/tasks').then(
    () => assert.fail('it was answered'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof VitrineProblem)
  // The type of a code is one of the contract's: this line and the switch are checked by tsc.
  const code: ProblemCode = error.code
  switch (code) {
    case 'forbidden':
      break
    // @ts-expect-error a misspelt code is found when it is compiled
    case 'forbiden':
      assert.fail()
      break
    default:
      assert.fail(code)
  }
  const { status, title, detail, hint, type, requestId } = error
  assert.deepEqual([status, type, title], [403, '/problems/forbidden', 'The key may not read this'])
  assert.match(detail, /permission/)
  assert.match(hint, /Ask an owner/)
  assert.equal(error.message, `403 forbidden: ${detail} ${hint}`)
  assert.ok(service.logLines.some((line) => line.includes(requestId ?? 'none')))

  const unknown = new Vitrine({ url: service.url, key: 'vtr_unknown' })
  await assert.rejects(unknown.get('/workspace'), { name: 'VitrineProblem', code: 'unauthorized', status: 401 })
  await assert.rejects(new Vitrine({ url: `${service.url}/api`, key: token }).get('/tasks'), { code: 'not_found' })
})

test("the key is in none of the client's output or errors", async (t) => {
  const key = 'vtr_SecretThatNobodyMaySee'
  const repeat = await startScriptedServer(t, (res, { headers }) => {
    const { authorization = '' } = headers
    const words = { type: authorization, title: authorization, detail: authorization, hint: authorization }
    const problem = { ...words, status: 404, code: 'not_found' }
    const repeated = { 'content-type': 'application/problem+json', 'x-request-id': authorization }
    res.writeHead(404, repeated).end(JSON.stringify(problem))
  })
  const page = await startScriptedServer(t, (res, { headers: { authorization = '' } }) =>
    res.writeHead(403, { 'content-type': `text/${authorization}` }).end(),
  )
  const redirect = await startScriptedServer(t, (res, { headers: { authorization = '' } }) =>
    res.writeHead(302, { location: `https://sign-in.example/?for=${authorization}` }).end(),
  )
  const vitrine = new Vitrine({ url: repeat.url, key })
  const failures: unknown[] = []
  for (const { url } of [repeat, page, redirect])
    failures.push(await new Vitrine({ url, key }).get('/tasks').catch((error: unknown) => error))
  assert.match(String(failures[2]), /302 with a redirect to https:\/\/sign-in\.example\/\?for=Bearer \[key\]: /)
  for (const given of [`${key}\n`, `${key} x`, `Bearer ${key}`, `${key}ü`])
    try {
      failures.push(new Vitrine({ url: repeat.url, key: given }))
    } catch (error) {
      assert.match(String(error), /TypeError: key: not a workspace key; is it set, without spaces or line breaks\?/)
      failures.push(error)
    }
  assert.equal(failures.filter((failure) => failure instanceof Error).length, 7)
  for (const output of [vitrine, ...failures])
    for (const text of [inspect(output, { depth: null, showHidden: true }), JSON.stringify(output), String(output)])
      assert.doesNotMatch(text, /SecretThat/)
})

test('an invalid address or time is refused immediately', () => {
  const key = 'vtr_x'
  for (const url of [undefined, '', 'vitrine.example', 'file:///x'])
    assert.throws(() => new Vitrine({ url, key }), /url: not an http or https address/)
  for (const url of ['https://user:word@vitrine.example', 'https://vitrine.example/?a=1', 'https://vitrine.example/#a'])
    assert.throws(() => new Vitrine({ url, key }), /url: it must have no user name, query or fragment/)
  for (const key of [undefined, '']) assert.throws(() => new Vitrine({ url: 'http://x', key }), /key: /)
  for (const ms of [-1, Number.NaN, 2 ** 31]) {
    assert.throws(() => new Vitrine({ url: 'http://x', key, timeoutMs: ms }), /timeoutMs: /)
    assert.throws(() => new Vitrine({ url: 'http://x', key, maxWaitMs: ms }), /maxWaitMs: /)
  }
})

test('the key is sent to no other host: a path is below the address, and redirects are not followed', async (t) => {
  const elsewhere = await startScriptedServer(t, noTasks)
  const redirecting = await startScriptedServer(t, (res) =>
    res.writeHead(308, { location: `${elsewhere.url}/tasks` }).end(),
  )
  const vitrine = new Vitrine({ url: redirecting.url, key: 'vtr_x' })
  await assert.rejects(vitrine.get('/tasks'), {
    name: 'VitrineResponseError',
    status: 308,
    message: `308 with a redirect to ${elsewhere.url}/tasks: this response is not from Vitrine. If that is the service, use its address as url.`,
  })
  await assert.rejects(vitrine.get('.example.com/tasks' as '/tasks'), /path: it must begin with \//)
  assert.equal(elsewhere.requests.length, 0)
})

test('all tasks are read page by page, as they are needed, and a question has typed arguments and results', async (t) => {
  const service = await startService(t)
  const ids = Array.from({ length: 250 }, (_, n) => `task_${String(n).padStart(3, '0')}`)
  const dueAt = '2026-11-16T17:00:00.000Z'
  await service.addTasks(ids.map((id, n) => ({ id, title: `Task ${n}`, dueAt, assigneeName: n % 2 ? 'Ada' : null })))
  const vitrine = new Vitrine(service)
  const remaining = () => vitrine.quota?.remaining ?? 600
  const all: Task[] = await Array.fromAsync(vitrine.tasks())
  assert.deepEqual(
    all.map(({ id }) => id),
    ids,
  )
  assert.equal(all[1]?.details, null, 'whole tasks')
  assert.equal(remaining(), 597, 'three pages')

  const before = remaining()
  for await (const task of vitrine.tasks({ assignee: 'ada', fields: ['dueAt'] })) {
    assert.deepEqual(task, { id: 'task_001', title: 'Task 1', dueAt })
    // @ts-expect-error: it was not requested
    assert.equal(task.details, undefined)
    break
  }
  assert.equal(remaining(), before - 1, 'the second page was not needed')

  const page = await vitrine.listTasks({ limit: 2, fields: ['dueAt'] })
  assert.deepEqual([page.total, page.hasMore, page.tasks[1]], [250, true, { id: 'task_001', title: 'Task 1', dueAt }])
  const { tasks, nextCursor } = await vitrine.listTasks()
  assert.deepEqual([tasks.length, typeof nextCursor], [100, 'string'])
  const { counts, total } = await vitrine.listTasks({ countBy: 'assignee', due: 'overdue' })
  assert.deepEqual([counts, total], [[], 0])
  const { etag } = page
  const unchanged = await vitrine.listTasks({ limit: 2, fields: ['dueAt'], ifNoneMatch: etag })
  assert.deepEqual([unchanged.unchanged, unchanged.tasks], [true, undefined])
})

test('a question that the tool refuses is an error that names the argument or the permission', async (t) => {
  const service = await startService(t)
  const vitrine = new Vitrine(service)
  // @ts-expect-error: there is no such argument
  await assert.rejects(vitrine.listTasks({ colour: 'red' }), {
    name: 'VitrineToolError',
    message: /colour is not a known/,
  })
  // @ts-expect-error: there is no such day
  const sunday = vitrine.tasks({ due: 'sunday' })
  await assert.rejects(sunday.next(), VitrineToolError)
  const { token } = await service.createKey({ permissions: ['workspace:read'] })
  await assert.rejects(new Vitrine({ url: service.url, key: token }).listTasks(), VitrineToolError)
  await assert.rejects(new Vitrine({ url: service.url, key: 'vtr_x' }).listTasks(), { code: 'unauthorized' })

  const reason = new Error('enough')
  const aborted = vitrine.tasks({}, { signal: AbortSignal.abort(reason) })
  await assert.rejects(aborted.next(), reason)

  const repeat = await startScriptedServer(t, (res, { headers: { authorization } }) =>
    res
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { message: authorization } })),
  )
  const repeated = new Vitrine({ url: repeat.url, key: 'vtr_Secret' }).listTasks()
  await assert.rejects(repeated, /^VitrineToolError: Bearer \[key\]$/)
})

test('changes are those of all pages, with the etag for the next call', async (t) => {
  const service = await startService(t)
  const vitrine = new Vitrine(service)
  await service.addTasks([{ id: 'done' }, { id: 'stays' }])
  const { etag } = await vitrine.listTasks({ limit: 1 })
  const ids = Array.from({ length: 150 }, (_, n) => `task_${String(n).padStart(3, '0')}`)
  await service.addTasks([...ids.map((id) => ({ id, title: id })), { id: 'done', status: 'completed' as const }])
  const changes = await vitrine.changes(etag, { fields: ['dueAt'] })
  assert.deepEqual(
    changes.tasks,
    ids.map((id) => ({ id, title: id, dueAt: null })),
  )
  assert.deepEqual([changes.gone, changes.goneIsPartial], [['done'], false])
  // @ts-expect-error: it was not requested
  assert.equal(changes.tasks[0]?.details, undefined)
  const none = await vitrine.changes(changes.etag)
  assert.deepEqual([none.tasks, none.gone], [[], []])
  await assert.rejects(vitrine.changes('yesterday'), {
    name: 'VitrineToolError',
    message: /changedSince must be an etag/,
  })
})
