import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type LoggedRequest, type RequestFilter, readRequests } from '../../src/keys/request-log.ts'
import { toToken } from '../../src/lib/key-format.ts'
import { resources } from '../../src/resources/index.ts'
import { exchange } from '../support/exchange.ts'
import { failingResource } from '../support/failing-resource.ts'
import { leakOf } from '../support/key-leaks.ts'
import { modernHeaders, modernRequest } from '../support/modern-client.ts'
import { openAdmitted } from '../support/raw.ts'
import { getFrom, startReplica } from '../support/replicas.ts'
import { NOON, type Service, startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

type Line = Record<string, unknown>
const call = (name: string, args: object = {}) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
})

async function start(t: TestContext, options: Parameters<typeof startService>[1] = {}) {
  const service = await startService(t, options)
  const workspaceId = (await service.keys.list('acme'))[0]?.workspaceId ?? ''
  const read = (filter: Partial<RequestFilter> = {}) =>
    service.operator.read((tx) => readRequests(tx, { nowMs: NOON, workspaceId, ...filter }, { limit: 5000 }))
  /** The lines of requests that have a key or were refused, in order. */
  const lines = (): Line[] => service.logLines.map((line) => JSON.parse(line)).filter(({ path }) => path !== undefined)
  return { service, workspaceId, read, lines }
}

/** A member for each request, without what differs from run to run. */
const shown = ({ operation, tool, arguments: names, status, code, refused }: LoggedRequest) => ({
  ...{ operation, tool, arguments: names, status, code, refused },
})

const post = ({ url }: Service, token: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const RESPONSE_401 = ['www-authenticate', 'content-type', 'ratelimit-limit', 'ratelimit-policy', 'cache-control']

test('a refusal is logged with its reason, key and workspace, which the client does not learn', async (t) => {
  const { service, workspaceId, read, lines } = await start(t)
  const { keys, time } = service
  const of = async (label: string, newKey: object = {}) => ({
    label,
    ...(await service.createKey({ label, ...newKey })),
  })
  const end = new Date(NOON + 1000).toISOString()
  const known = [
    await of('revoked'),
    await of('expired', { expiresAt: end }),
    await of('paused'),
    await of('network', { networks: ['203.0.113.0/24'] }),
  ]
  await keys.revoke(known[0]?.id ?? '')
  await keys.pause(known[2]?.id ?? '')
  const damaged = await of('damaged')
  time.now = NOON + 2000
  const ask = async (token: string | undefined) => {
    const response = await fetch(`${service.url}/tasks`, token ? { headers: { authorization: `Bearer ${token}` } } : {})
    assert.equal(response.status, 401)
    const { instance: _, ...problem } = (await response.json()) as Line
    return JSON.stringify([problem, RESPONSE_401.map((name) => response.headers.get(name))])
  }
  const unknown = await ask(toToken(Buffer.alloc(32, 7)))
  for (const { token, label } of known) assert.equal(await ask(token), unknown, `${label}: the response tells it apart`)
  assert.equal(await ask(damaged.token.slice(0, -1)), unknown)
  await ask(undefined)
  await fetch(`${service.url}/tasks?key=${damaged.token}`)
  await fetch(`${service.url}/tasks`, { headers: { authorization: 'Basic eA==' } })
  await waitUntil(() => lines().length === 9)
  assert.deepEqual(
    lines().map((line) => [line.status, line.code, line.refused, line.keyId, line.workspaceId]),
    [
      [401, 'unauthorized', 'unknown', undefined, undefined],
      ...known.map(({ label, id }) => [401, 'unauthorized', label, id, workspaceId]),
      [401, 'unauthorized', 'damaged', undefined, undefined],
      ...Array(3).fill([401, 'unauthorized', 'missing', undefined, undefined]),
    ],
  )
  await service.stop()
  for (const { label, id } of known)
    assert.deepEqual((await read({ keyId: id })).map(shown), [
      { operation: 'GET /tasks', tool: null, arguments: null, status: 401, code: 'unauthorized', refused: label },
    ])
  const ofDamaged = await read({ keyId: damaged.id })
  assert.deepEqual(new Set(ofDamaged.map(({ refused }) => refused)), new Set(['damaged', 'url']))
  const stored = JSON.stringify([await read(), service.logLines])
  for (const { token } of [...known, damaged]) assert.equal(leakOf(stored, token), undefined)
})

test('a damaged key is attributed by its start', async (t) => {
  const { service, read, lines } = await start(t)
  const { token, id } = await service.createKey({ label: 'damaged' })
  const forms = [
    `Bearer "${token}"`,
    `"Bearer ${token}"`,
    `Bearer %22${token}%22`,
    `Bearer ${token.slice(0, 20)} ${token.slice(20)}`,
    `Bearer Bearer ${token}`,
    `Bearer ${token.slice(0, 30)}`,
    `Bearer ${token}x`,
    token,
  ]
  for (const authorization of forms)
    assert.equal((await exchange(service.url, '/tasks', { headers: { authorization } })).status, 401, authorization)
  await waitUntil(() => lines().length === forms.length)
  for (const { refused } of lines()) assert.equal(refused, 'damaged')
  await service.stop()
  assert.equal((await read({ keyId: id })).length, forms.length)
})

test('a request is logged with what it called and its outcome, without values or made-up names', async (t) => {
  const { service, read, lines } = await start(t, {
    resources: [...resources, { ...failingResource(new Error('broken')), permission: 'failing:read' }],
  })
  const all = ['workspace:read', 'tasks:read', 'failing:read']
  const { token, id } = await service.createKey({ label: 'x', permissions: all })
  const limited = await service.createKey({
    label: 'y',
    permissions: ['workspace:read'],
    quota: { limit: 3, windowSeconds: 60 },
  })
  const get = (path: string, from = token) =>
    fetch(service.url + path, { headers: { authorization: `Bearer ${from}` } })
  const v2 = (method: string, params: object, name?: string) =>
    post(service, token, '/v2/mcp', modernRequest(method, params), modernHeaders(method, name))
  const secrets = { assignee: 'who@secret.example', 'made up secret': 1, ['x'.repeat(5000)]: 2 }
  const expected: [send: () => Promise<Response>, row: object, line: Line][] = [
    [() => get('/tasks'), { operation: 'GET /tasks', status: 200 }, {}],
    [() => get('/failing'), { operation: 'GET /failing', status: 500, code: 'internal_error' }, {}],
    [
      () => post(service, token, '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      { operation: 'POST /mcp', tool: 'tools/list', status: 200 },
      { mcpMethod: 'tools/list' },
    ],
    [
      () => post(service, token, '/mcp', { jsonrpc: '2.0', id: 1, method: 'secret/method' }),
      { operation: 'POST /mcp', tool: '(unknown)', status: 200, code: '-32601' },
      { mcpMethod: '(unknown)', rpcError: -32601 },
    ],
    [
      () => post(service, token, '/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' }),
      { operation: 'POST /mcp', tool: 'notification', status: 202 },
      { mcpMethod: 'notification' },
    ],
    [
      () => post(service, token, '/mcp', call('list_tasks', { limit: 5, assignee: 'who@secret.example' })),
      { operation: 'POST /mcp', tool: 'list_tasks', arguments: 'assignee,limit', status: 200 },
      { mcpMethod: 'tools/call', tool: 'list_tasks' },
    ],
    [
      () => v2('tools/call', { name: 'list_tasks', arguments: secrets }, 'list_tasks'),
      {
        ...{ operation: 'POST /v2/mcp', tool: 'list_tasks', arguments: 'assignee,(unknown)', status: 200 },
        code: 'isError invalid_params',
      },
      { mcpMethod: 'tools/call', tool: 'list_tasks', isError: true, code: 'invalid_params' },
    ],
    [
      () => v2('tools/call', { name: 'secret_tool' }, 'secret_tool'),
      { operation: 'POST /v2/mcp', tool: '(unknown)', status: 200, code: 'tool_not_found' },
      { mcpMethod: 'tools/call', tool: '(unknown)', rpcError: -32602, code: 'tool_not_found' },
    ],
    [
      () => post(service, token, '/mcp', '{'),
      { operation: 'POST /mcp', status: 400, code: 'invalid_json' },
      { code: 'invalid_json' },
    ],
    [
      () => post(service, token, '/mcp', call('get_workspace'), { origin: 'https://x.example' }),
      { operation: 'POST /mcp', status: 403, code: 'origin_not_allowed', refused: 'browser' },
      { refused: 'browser' },
    ],
    [
      () => get('/tasks', limited.token),
      { operation: 'GET /tasks', status: 403, code: 'forbidden', refused: 'forbidden' },
      { refused: 'forbidden', keyId: limited.id },
    ],
    [
      () => post(service, limited.token, '/mcp', call('list_tasks')),
      { operation: 'POST /mcp', tool: 'list_tasks', status: 200, code: 'forbidden', refused: 'forbidden' },
      { refused: 'forbidden', rpcError: -32003, tool: 'list_tasks' },
    ],
    [
      () =>
        post(
          ...([service, limited.token, '/v2/mcp', modernRequest('tools/call', { name: 'list_tasks' })] as const),
          modernHeaders('tools/call', 'list_tasks'),
        ),
      { operation: 'POST /v2/mcp', tool: 'list_tasks', status: 200, code: 'tool_not_found', refused: 'forbidden' },
      { refused: 'forbidden', code: 'tool_not_found' },
    ],
    [
      () => get('/workspace', limited.token),
      { operation: 'GET /workspace', status: 429, code: 'rate_limited', refused: 'over_quota' },
      { refused: 'over_quota', code: 'rate_limited' },
    ],
  ]
  const ids: (string | null)[] = []
  for (const [send] of expected) {
    const response = await send()
    await response.arrayBuffer()
    ids.push(response.headers.get('x-request-id'))
  }
  const gone = await openAdmitted(service.url, token, 5)
  gone.socket.destroy()
  await waitUntil(() => lines().some(({ status }) => status === 'gone'))
  await service.stop()

  const rows = new Map((await read()).map((row) => [row.requestId, row]))
  for (const [i, [, row, line]] of expected.entries()) {
    const { keyId, ms, bytes, address, agent, ...logged } = rows.get(ids[i] ?? '') ?? assert.fail(JSON.stringify(row))
    const none = { tool: null, arguments: null, code: null, refused: null }
    assert.deepEqual(shown(logged as LoggedRequest), { ...none, ...row })
    assert.deepEqual([keyId === id || keyId === limited.id, ms > 0, address, agent], [true, true, '127.0.0.1', 'node'])
    assert.equal(bytes > 0, logged.status !== 202)
    const written = lines().find(({ requestId }) => requestId === ids[i]) ?? {}
    const members = Object.fromEntries(Object.keys(line).map((name) => [name, written[name]]))
    assert.deepEqual([members, written.keyId, written.ms], [line, keyId, ms])
  }
  assert.deepEqual((await read({ outcome: 'failed' })).filter(({ status }) => status === null).map(shown), [
    { operation: 'POST /mcp', tool: null, arguments: null, status: null, code: null, refused: null },
  ])
  assert.equal(rows.size, expected.length + 1)
  assert.doesNotMatch(JSON.stringify([[...rows.values()], service.logLines]), /secret|xxxxx/)
})

test('two replicas log the requests of one key', async (t) => {
  const { service, read } = await start(t)
  const { id, token } = await service.createKey({ label: 'shared' })
  const other = await startReplica(t, { DATABASE_URL: service.databaseUrl }, () => NOON + 5)
  for (let i = 0; i < 10; i++) {
    assert.equal((await getFrom(service, token)).status, 200)
    assert.equal((await getFrom(other, token)).status, 200)
  }
  await waitUntil(async () => (await read({ keyId: id })).length === 20)
  assert.equal(new Set((await read({ keyId: id })).map(({ requestId }) => requestId)).size, 20)
})

test('health checks are not logged', async (t) => {
  const { service, lines } = await start(t)
  for (const path of ['/healthz', '/readyz', '/tasks']) await (await service.get(path)).arrayBuffer()
  await waitUntil(() => lines().length === 1)
  assert.equal(lines()[0]?.path, '/tasks')
})
