import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { test } from 'node:test'
import { createToken } from '../../../src/lib/key-format.ts'
import { checkDeployment, type Report, textReport } from '../../../src/tools/check/run.ts'
import { freePort, listen, listenUntilEnd } from '../../support/listen.ts'
import { type Service, startService } from '../../support/service.ts'
import { startFaultyProxy } from './faulty-proxy.ts'

const check = (service: Service, { url = service.url, timeoutMs = 20_000, key = service.key } = {}) =>
  checkDeployment({
    target: { url: new URL(url), timeoutMs },
    key,
    wait: async (ms) => {
      service.time.now += ms
    },
  })

const failuresIn = ({ results }: Report) => results.filter((result) => result.status === 'failed')
const idsOf = ({ results }: Report, status: string) =>
  results.flatMap((each) => (each.status === status ? [each.id] : []))

test('a proxy is not blamed if Vitrine itself refuses requests', async (t) => {
  const service = await startService(t)
  for (const [code, status, cause] of [
    ['rate_limited', 429, /^other clients use up the key's quota/],
    ['overloaded', 503, /^Vitrine refuses requests/],
  ] as const) {
    const problem = { type: `/problems/${code}`, title: 'x', status, code, detail: 'x', hint: 'x' }
    const url = await startFaultyProxy(t, service.url, {
      respond(response, { path, method }) {
        if (path !== '/v2/mcp' || method !== 'POST') return
        Object.assign(response.headers, { 'content-type': 'application/problem+json', 'retry-after': '1' })
        Object.assign(response, { status, body: Buffer.from(JSON.stringify(problem)) })
      },
    })
    const failures = failuresIn(await check(service, { url })).filter(({ id }) => id.startsWith('mcp'))
    assert.ok(failures.length > 0)
    for (const each of failures) assert.match(each.cause, cause, each.id)
  }
})

test('a quarter of the quota is left, and the next window is waited for, unless that takes hours', async (t) => {
  const service = await startService(t)
  const { token } = await service.createKey({ quota: { limit: 24, windowSeconds: 10 } })
  const left: number[] = []
  const url = await startFaultyProxy(t, service.url, {
    respond({ status, headers }, sent) {
      assert.notEqual(status, 429)
      if (sent.headers.authorization?.endsWith(token)) left.push(Number(headers['ratelimit-remaining']))
    },
  })
  const report = await check(service, { url, key: token })
  assert.deepEqual(failuresIn(report), [])
  assert.ok(report.requestsWithKey > 24)
  assert.equal(Math.min(...left), 6)

  const daily = await service.createKey({ quota: { limit: 4, windowSeconds: 86_400 } })
  const stopped = await check(service, { key: daily.token })
  assert.deepEqual([failuresIn(stopped), stopped.requestsWithKey], [[], 3])
  const skipped = stopped.results.find(({ id }) => id === 'mcp.ping')
  assert.match(skipped?.status === 'skipped' ? skipped.reason : '', /1 of 4 requests left .* use a key with a larger/)
})

test('a deprecation that a proxy removes or changes is missed', async (t) => {
  const year = new Date().getUTCFullYear()
  const dates = { deprecation: `${year}-01-01T00:00:00Z`, sunset: `${year + 1}-06-01T00:00:00Z` }
  const service = await startService(t, { env: { LIFECYCLE: JSON.stringify({ '/tasks': dates }) } })
  assert.deepEqual(failuresIn(await check(service)), [])
  for (const [name, value, cause] of [
    ['deprecation', undefined, /removes or renames the response header Deprecation/],
    ['link', undefined, /removes or renames the response header Link/],
    ['sunset', dates.sunset, /changes the response header Sunset/],
  ] as const) {
    const url = await startFaultyProxy(t, service.url, {
      respond({ headers }) {
        if (headers[name] === undefined) return
        if (value === undefined) delete headers[name]
        else headers[name] = value
      },
    })
    const [failure, ...others] = failuresIn(await check(service, { url }))
    assert.deepEqual([failure?.id, others], ['headers.lifecycle', []])
    assert.match(failure?.cause ?? '', cause)
  }
})

test('PUBLIC_URL may be another address only if the server was reached by its own', async (t) => {
  const service = await startService(t, { env: { PUBLIC_URL: 'https://vitrine.example.com' } })
  assert.deepEqual(failuresIn(await check(service)), [])
  const report = await check(service, { url: service.url.replace('127.0.0.1', '0.0.0.0') })
  assert.deepEqual(idsOf(report, 'failed'), ['paths.problem-pages', 'paths.oauth'])
})

test('another version is noted, and a malformed document does not stop the other checks', async (t) => {
  const service = await startService(t)
  const through = async (change: (document: { info: object; paths: object }) => void) => {
    const url = await startFaultyProxy(t, service.url, {
      respond(response, { path }) {
        if (path !== '/openapi.json') return
        const document = JSON.parse(response.body.toString())
        change(document)
        response.body = Buffer.from(JSON.stringify(document))
      },
    })
    return check(service, { url })
  }
  const newer = await through(({ info }) => Object.assign(info, { version: '9.9.9' }))
  assert.deepEqual(failuresIn(newer), [])
  assert.match(JSON.stringify(newer.results), /is version 9\.9\.9; this check is for/)
  const circular = { $ref: '#/components/schemas/Circle' }
  const responses = { 200: { headers: null, content: { 'application/json': { schema: circular } } } }
  const malformed = await through((document) => {
    Object.assign(document.paths, { '/circle': { get: { responses } }, '/odd': { get: 17 } })
    Object.assign(document, { components: { schemas: { Circle: circular } } })
  })
  assert.ok(idsOf(malformed, 'failed').includes('rest.circle.get'))
  assert.ok(idsOf(malformed, 'passed').includes('rest.tasks.get'))
})

const endings = {
  disappears: ({ socket }: ServerResponse) => void socket?.destroy(),
  'drips its responses': (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write(' '), 50)
    response.once('close', () => clearInterval(timer))
  },
}
for (const [how, end] of Object.entries(endings))
  test(`a server that ${how} in the middle is not waited for by every check`, async (t) => {
    const service = await startService(t)
    let requests = 0
    const server = createServer((req, res) => {
      if (++requests > 8) return end(res)
      fetch(service.url + req.url, { headers: { authorization: req.headers.authorization ?? '' } }).then(
        async (response) =>
          res.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text()),
      )
    })
    const url = `http://127.0.0.1:${await listenUntilEnd(t, server)}`
    const report = await check(service, { url, timeoutMs: 1000 })
    assert.equal(report.ok, false)
    const last = report.results.find(({ id }) => id === 'mcp.ping')
    assert.equal(last?.status === 'skipped' && last.reason, 'the server no longer responds')
    assert.ok(requests < 20)
  })

test('neither the key nor terminal control characters reach a report', async (t) => {
  const service = await startService(t)
  const hostile = `\u001b[31m<b>&"${service.key}\u202e\u0000 ]]>`
  const url = await startFaultyProxy(t, service.url, {
    respond(response, { path }) {
      if (path === '/tasks') response.headers['x-request-id'] = encodeURIComponent(service.key)
      if (response.status < 400) return
      response.headers['content-type'] = `text/${service.key}`
      response.body = Buffer.from(hostile)
    },
  })
  const report = await check(service, { url })
  assert.ok(report.failed > 5)
  for (const text of [
    JSON.stringify(report),
    textReport(report, { passed: 'ok  ', skipped: 'skip', failed: 'FAIL' }),
  ]) {
    assert.ok(!text.includes(service.key.slice(4, 20)))
    assert.ok(!/[^\P{Cc}\n]/u.test(text))
    assert.ok(!text.includes('\u202e'))
  }
})

test('an uncheckable target is reported in one line', async (t) => {
  const refusal = async (url: string) => {
    const error = await checkDeployment({ target: { url: new URL(url) }, key: createToken() }).catch((one) => one)
    return `${error.name}: ${error.message}`
  }
  const serving = async (status: number, headers: Record<string, string>) => {
    const server = createServer((_, res) => res.writeHead(status, headers).end('<h1>Hello</h1>'))
    t.after(() => server.close())
    return `http://127.0.0.1:${await listen(server)}`
  }
  assert.match(await refusal(`http://127.0.0.1:${await freePort()}`), /^UserError: .*nothing accepts connections there/)
  const other = await serving(200, { 'content-type': 'text/html' })
  assert.match(await refusal(other), /is not Vitrine: GET \/workspace returned 200 text\/html: .*; check the URL$/)
  assert.match(await refusal(other.replace('http:', 'https:')), /does not speak TLS there/)
  const redirecting = await serving(301, { location: 'https://there.example/' })
  assert.match(await refusal(redirecting), /redirects to https:\/\/there\.example\/ \(301\); check that URL instead/)
})
