import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { test } from 'node:test'
import { createToken } from '../../../src/lib/key-format.ts'
import { readContract } from '../../../src/tools/check/contract.ts'
import { diagnoses } from '../../../src/tools/check/diagnosis.ts'
import { textReport } from '../../../src/tools/check/report.ts'
import { allChecks, checkDeployment, type Report } from '../../../src/tools/check/run.ts'
import { archiveWorkspace } from '../../support/changes.ts'
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

const idsOf = ({ results }: Report, status: string) =>
  results.flatMap((result) => (result.status === status ? [result.id] : []))

test('every check has its own id', () => {
  const ids = allChecks(readContract()).map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
})

test('our own deployment meets its contract', async (t) => {
  const service = await startService(t)
  await service.addTasks([
    { id: 'a', title: 'First', dueAt: '2026-11-16T17:00:00.000Z' },
    { id: 'b', title: 'Second' },
  ])

  await t.test('in every operation', async (t) => {
    const called = new Set<string>()
    const url = await startFaultyProxy(t, service.url, {
      respond: (_, { method, path }) => void called.add(`${method} ${path}`),
    })
    await check(service, { url })
    const missing = readContract()
      .operations()
      .filter(({ method, path }) => !called.has(`${method} ${path}`))
    assert.deepEqual(missing, [])
  })

  await t.test('directly', async () => {
    const report = await check(service)
    assert.deepEqual(idsOf(report, 'failed'), [])
    // What only a proxy does.
    const onlyBehindProxies = ['rest.workspace.compressed-etag', 'rest.tasks.compressed-etag']
    assert.deepEqual(idsOf(report, 'skipped'), onlyBehindProxies)
    assert.equal(report.ok, true)
    assert.equal(report.passed + report.skipped, report.results.length)
  })

  await t.test('and what could not be checked is not counted as passed', async (t) => {
    const empty = await startService(t)
    const report = await check(empty)
    assert.deepEqual(idsOf(report, 'failed'), [])
    assert.ok(idsOf(report, 'skipped').includes('rest.tasks.order'))
  })

  for (const [code, status, cause] of [
    ['rate_limited', 429, /^other clients use up the key's quota/],
    ['overloaded', 503, /^Vitrine refuses requests/],
  ] as const)
    await t.test(`without blaming a proxy if Vitrine itself responds with ${code}`, async (t) => {
      const problem = { type: `/problems/${code}`, title: 'x', status, code, detail: 'x', hint: 'x' }
      const url = await startFaultyProxy(t, service.url, {
        respond(response, { path, method }) {
          if (path !== '/v2/mcp' || method !== 'POST') return
          Object.assign(response.headers, { 'content-type': 'application/problem+json', 'retry-after': '1' })
          Object.assign(response, { status, body: Buffer.from(JSON.stringify(problem)) })
        },
      })
      const { results } = await check(service, { url })
      const failed = results.filter((each) => each.status === 'failed')
      assert.ok(failed.some(({ id }) => id === 'mcp-2026.discover'))
      for (const { id, ...each } of failed.filter((one) => one.id.startsWith('mcp')))
        assert.match('cause' in each ? each.cause : '', cause, id)
    })

  await t.test('for a key that may read less', async () => {
    const { token } = await service.createKey({ permissions: ['tasks:read'] })
    const report = await check(service, { key: token })
    assert.deepEqual(idsOf(report, 'failed'), [])
    const get = report.results.find(({ id }) => id === 'rest.workspace.get')
    assert.match(get?.status === 'skipped' ? get.reason : '', /may not read \/workspace: only its 403 was checked/)
    assert.ok(idsOf(report, 'skipped').includes('rest.workspace.etag'))
    assert.ok(idsOf(report, 'passed').includes('rest.tasks.etag'))
  })

  await t.test('with a small quota, of which it leaves a quarter, waiting for the next windows', async (t) => {
    const { token } = await service.createKey({ quota: { limit: 12, windowSeconds: 10 } })
    const left: number[] = []
    const url = await startFaultyProxy(t, service.url, {
      respond({ status, headers }, sent) {
        assert.notEqual(status, 429)
        if (sent.headers.authorization?.endsWith(token)) left.push(Number(headers['ratelimit-remaining']))
      },
    })
    const report = await check(service, { url, key: token })
    assert.deepEqual(idsOf(report, 'failed'), [])
    assert.ok(report.requestsWithKey > 24)
    assert.equal(Math.min(...left), 3)
  })

  await t.test('without comparing tasks that change with every request, unless they never do in REST', async (t) => {
    let requests = 0
    let isStale = false
    const url = await startFaultyProxy(t, service.url, {
      respond(response, { path }) {
        if (path === '/tasks' && isStale) return
        response.body = Buffer.from(response.body.toString().replaceAll('First', `Change ${requests++}`))
      },
    })
    assert.ok(idsOf(await check(service, { url }), 'skipped').includes('mcp.agreement'))
    isStale = true
    assert.ok(idsOf(await check(service, { url }), 'failed').includes('mcp.agreement'))
  })

  await t.test('with a quota that would take hours, it stops and reports that', async () => {
    const { token } = await service.createKey({ quota: { limit: 4, windowSeconds: 86_400 } })
    const report = await check(service, { key: token })
    assert.deepEqual(idsOf(report, 'failed'), [])
    assert.equal(report.requestsWithKey, 3)
    const skipped = report.results.find(({ id }) => id === 'mcp.ping')
    assert.match(skipped?.status === 'skipped' ? skipped.reason : '', /1 of 4 requests left .* use a key with a larger/)
    await assert.rejects(
      async () => {
        for (;;) await check(service, { key: token })
      },
      { name: 'UserError', message: /the server responded with 429; .* use a key with a larger quota$/ },
    )
  })

  await t.test('if PUBLIC_URL is another address, unless it was reached by its own', async (t) => {
    const named = await startService(t, { env: { PUBLIC_URL: 'https://vitrine.example.com' } })
    assert.deepEqual(idsOf(await check(named), 'failed'), [])
    const report = await check(named, { url: named.url.replace('127.0.0.1', '0.0.0.0') })
    assert.deepEqual(idsOf(report, 'failed'), ['paths.problem-pages', 'paths.oauth'])
  })

  await t.test('if a path is deprecated, which is noted, and missed if a proxy removes it', async (t) => {
    const year = new Date().getUTCFullYear()
    const dates = { deprecation: `${year}-01-01T00:00:00Z`, sunset: `${year + 1}-06-01T00:00:00Z` }
    const link = 'https://vitrine.example/changes'
    const LIFECYCLE = JSON.stringify({ '/v1/mcp': { ...dates, link }, '/tasks': dates })
    const ending = await startService(t, { env: { LIFECYCLE } })
    const report = await check(ending)
    assert.deepEqual(idsOf(report, 'failed'), [])
    const { note } = report.results.find(({ id }) => id === 'headers.lifecycle') as { note?: string }
    const since = `is deprecated since ${year}-01-01, and ends ${year + 1}-06-01`
    assert.equal(note, `/tasks ${since}; /v1/mcp ${since}`)

    const sunset = new Date(dates.sunset)
    for (const [name, value, cause] of [
      ['deprecation', undefined, /removes or renames the response header Deprecation/],
      ['sunset', undefined, /removes or renames the response header Sunset/],
      ['link', undefined, /removes or renames the response header Link/],
      ['deprecation', sunset.toUTCString(), /changes the response header Deprecation/],
      ['sunset', dates.sunset, /changes the response header Sunset/],
      ['sunset', new Date(0).toUTCString(), /changes the response header Sunset/],
    ] as const) {
      const url = await startFaultyProxy(t, ending.url, {
        respond({ headers }) {
          if (headers[name] === undefined) return
          if (value === undefined) delete headers[name]
          else headers[name] = value
        },
      })
      const { results } = await check(ending, { url })
      const failed = results.filter(({ status }) => status === 'failed') as { id: string; cause: string }[]
      assert.deepEqual(
        failed.map(({ id }) => id),
        ['headers.lifecycle'],
        `${name}: ${value}`,
      )
      assert.match(failed[0]?.cause ?? '', cause)
    }
  })

  await t.test('with another version, which is only noted', async (t) => {
    const url = await startFaultyProxy(t, service.url, {
      respond(response, { path }) {
        if (path !== '/openapi.json') return
        const document = JSON.parse(response.body.toString())
        document.info.version = '9.9.9'
        delete document.paths['/v2/mcp']
        response.body = Buffer.from(JSON.stringify(document))
      },
    })
    const report = await check(service, { url })
    assert.deepEqual(idsOf(report, 'failed'), [])
    const { note } = report.results.find(({ id }) => id === 'contract.document') as { note?: string }
    assert.match(note ?? '', /is version 9\.9\.9; this check is for .*, and lacks POST \/v2\/mcp/)
  })

  await t.test('except for its document, if a proxy drops those requests', async (t) => {
    const url = await startFaultyProxy(t, service.url, {
      request: ({ path }) => (path === '/openapi.json' ? 'dropped' : undefined),
    })
    const documented = ['contract.document', 'headers.lifecycle']
    assert.deepEqual(idsOf(await check(service, { url }), 'failed'), documented)
  })

  await t.test('after its workspace was archived', async () => {
    await archiveWorkspace(service.operator, 'acme', 'test')
    const report = await check(service)
    assert.deepEqual(idsOf(report, 'failed'), [])
  })
})

test('a malformed or circular schema fails only the checks that need it', async (t) => {
  const service = await startService(t)
  const { components, ...others } = readContract().document
  const tree = { additionalProperties: { $ref: '#/components/schemas/tree' } }
  const schemas: Record<string, unknown> = {
    ...{ a: { type: '__proto__' }, b: { format: '__proto__' }, c: { $ref: '#/components/schemas/c' }, d: tree, tree },
    ...{ e: { required: 17 }, f: { anyOf: 'text' }, odd: null },
  }
  const paths = Object.keys(schemas).map((name) => {
    const schema = { $ref: `#/components/schemas/${name}` }
    const responses = { 200: { headers: { Odd: schema }, content: { 'application/json': { schema } } }, 401: null }
    return [`/${name}`, { get: name === 'odd' ? 17 : { responses } }]
  })
  const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`
  const url = await startFaultyProxy(t, service.url, {
    respond(response, { path, headers }) {
      if (path === '/openapi.json') {
        const all = { ...others, components: { ...components, schemas }, paths: Object.fromEntries(paths) }
        response.body = Buffer.from(JSON.stringify(all))
      } else if (path.slice(1) in schemas && headers.authorization?.includes(service.key)) {
        Object.assign(response, { status: 200, body: Buffer.from(/^\/[de]$/.test(path) ? deep : '"text"') })
        response.headers['content-type'] = 'application/json'
      }
    },
  })
  const report = await check(service, { url })
  const causes = report.results.flatMap((each) =>
    each.status === 'failed' && /^rest\.\w+\.get$/.test(each.id) ? `${each.id.slice(5, -4)} ${each.cause}` : [],
  )
  for (const name of [...'abcdef', 'odd'])
    assert.ok(causes.includes(`${name} ${diagnoses.unknown.cause}`), `${name}: ${causes}`)
  assert.ok(idsOf(report, 'passed').includes('rest.tasks.get'))
  assert.ok(idsOf(report, 'passed').includes('headers.request-id'))
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
  const marks = { heading: String, outcome: { passed: 'ok  ', skipped: 'skip', failed: 'FAIL' } }
  for (const text of [JSON.stringify(report), textReport(report, marks)]) {
    assert.ok(!text.includes(service.key.slice(4, 20)))
    assert.ok(!/[^\P{Cc}\n]/u.test(text))
    assert.ok(!text.includes('\u202e'))
  }
})

const refusal = async (url: string) => {
  const error = await checkDeployment({ target: { url: new URL(url) }, key: createToken() }).then(
    () => assert.fail('it was checked'),
    (error) => error,
  )
  return `${error.name}: ${error.message}`
}

test('an uncheckable target is reported in one line', async (t) => {
  const answering = async (status: number, headers: Record<string, string>) => {
    const server = createServer((_, res) => res.writeHead(status, headers).end('<h1>Hello</h1>'))
    t.after(() => server.close())
    return `http://127.0.0.1:${await listen(server)}`
  }
  const nobody = `http://127.0.0.1:${await freePort()}`
  assert.match(await refusal(nobody), /^UserError: .*: nothing accepts connections there; .* \(ECONNREFUSED\)$/)
  const other = await answering(200, { 'content-type': 'text/html' })
  assert.match(await refusal(other), /is not Vitrine: GET \/workspace returned 200 text\/html: .*; check the URL$/)
  const redirecting = await answering(301, { location: 'https://there.example/' })
  assert.match(await refusal(redirecting), /redirects to https:\/\/there\.example\/ \(301\); check that URL instead/)
  assert.match(await refusal(nobody.replace('http:', 'https:')), /ECONNREFUSED/)
  assert.match(await refusal(other.replace('http:', 'https:')), /does not speak TLS there/)
  assert.match(await refusal('http://nowhere.invalid'), /(no such host|cannot be looked up)/)
})
