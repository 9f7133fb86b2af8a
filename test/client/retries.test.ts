import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Vitrine, VitrineProblem } from '../../client/src/index.ts'
import { startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'
import { hangUp, noTasks, respond, type Step, silence, startScriptedServer } from './scripted-server.ts'

const key = 'vtr_x'
const html = { 'content-type': 'text/html' }

test('a call over the quota waits as long as the service asks, then succeeds', async (t) => {
  const service = await startService(t, { realClock: true, env: { RATE_LIMIT: '1;w=1' } })
  const vitrine = new Vitrine(service)
  // On a slow machine the window may be over before the second call.
  while (!service.logLines.some((line) => line.includes('"status":429')))
    assert.deepEqual((await vitrine.get('/tasks')).tasks, [])
})

test('a wait that is longer than allowed is not started: the problem shows how long it would be', async (t) => {
  const service = await startService(t, { env: { RATE_LIMIT: '1;w=3600' } })
  const vitrine = new Vitrine(service)
  await vitrine.get('/tasks')
  const error = await vitrine.get('/tasks').catch((reason: unknown) => reason)
  assert.ok(error instanceof VitrineProblem && error.code === 'rate_limited')
  assert.ok((error.retryAfterSeconds ?? 0) > 60)
  assert.equal(vitrine.quota?.remaining, 0)
})

const quota = { 'ratelimit-limit': '600', 'ratelimit-remaining': '0', 'ratelimit-reset': '50' }
const overloaded = (retryAfter: string): Step =>
  respond(
    503,
    { 'content-type': 'application/problem+json', 'retry-after': retryAfter, ...quota },
    '{"type":"/problems/overloaded","title":"Overloaded","status":503,"code":"overloaded","detail":"Later.","hint":"Wait."}',
  )

const cutShort: Step = (res) => {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': 99 })
  res.write('{"tasks":', () => res.destroy())
}

const passing: Record<string, [Step, ...Step[]]> = {
  'a 503 with seconds': [overloaded('0'), noTasks],
  'the pages of a proxy while a server restarts': [
    respond(502, html, '<h1>Bad Gateway</h1>'),
    respond(503, html),
    respond(504),
    noTasks,
  ],
  'a connection that is closed without an answer': [hangUp, noTasks],
  'an answer that is cut short': [cutShort, noTasks],
}
for (const [what, steps] of Object.entries(passing))
  test(`the client retries after ${what}`, async (t) => {
    const { url, requests } = await startScriptedServer(t, ...steps)
    assert.deepEqual(await new Vitrine({ url, key }).get('/tasks'), { tasks: [] })
    assert.equal(requests.length, steps.length)
  })

test('there are at most four attempts, and maxWaitMs: 0 allows one', async (t) => {
  const { url, requests } = await startScriptedServer(t, hangUp)
  await assert.rejects(new Vitrine({ url, key }).get('/tasks'), { name: 'VitrineNetworkError', timedOut: false })
  assert.equal(requests.length, 4)
  await assert.rejects(new Vitrine({ url, key, maxWaitMs: 0 }).get('/tasks'), { name: 'VitrineNetworkError' })
  assert.equal(requests.length, 5)
})

const json = { 'content-type': 'application/json' }
const final: Record<string, [step: Step, error: object]> = {
  'a page with status 200': [
    respond(200, html, '<h1>Sign in</h1>'),
    {
      name: 'VitrineResponseError',
      status: 200,
      message: '200 with no JSON (text/html): this response is not from Vitrine. Is something else at this address?',
    },
  ],
  'JSON of somebody else': [
    respond(500, { 'content-type': 'application/json', 'x-request-id': 'abc' }, '{"message":"no"}'),
    { name: 'VitrineResponseError', status: 500, requestId: 'abc' },
  ],
  "a problem of another response's status": [
    respond(404, json, '{"type":"/x","title":"x","status":500,"code":"not_found","detail":"x","hint":"x"}'),
    { name: 'VitrineResponseError', status: 404 },
  ],
  'tasks that are none': [respond(200, json, '{"tasks":"none"}'), { name: 'VitrineResponseError' }],
  'a 304 that was not asked for': [respond(304), { name: 'VitrineResponseError', status: 304 }],
}
for (const [what, [step, error]] of Object.entries(final))
  test(`${what} is its own kind of error, and is not retried`, async (t) => {
    const { url, requests } = await startScriptedServer(t, step)
    await assert.rejects(new Vitrine({ url, key }).get('/tasks'), error)
    assert.equal(requests.length, 1)
  })

test('a service that does not respond in time is given up, and not retried', async (t) => {
  const { url, requests } = await startScriptedServer(t, silence)
  const message = `No response from ${url}/tasks: none within 1000 ms`
  await assert.rejects(new Vitrine({ url, key, timeoutMs: 1000 }).get('/tasks'), { timedOut: true, message })
  // On a busy machine the time may be over before the request arrives.
  assert.ok(requests.length <= 1)
})

test('the caller can abort before, during and between attempts, and gets the given reason', async (t) => {
  for (const step of [silence, overloaded('50')]) {
    const { url, requests } = await startScriptedServer(t, step)
    const vitrine = new Vitrine({ url, key })
    const stop = new AbortController()
    const call = assert.rejects(vitrine.get('/tasks', stop), { message: 'enough' })
    // A response has a quota: the client now waits as long as Retry-After states.
    await waitUntil(() => (step === silence ? requests.length === 1 : vitrine.quota !== undefined))
    stop.abort(new Error('enough'))
    await call
    await assert.rejects(vitrine.get('/tasks', stop), { message: 'enough' })
    assert.equal(requests.length, 1)
  }
})
