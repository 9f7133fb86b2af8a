// Run once: this is decided before any database query.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test as nodeTest } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formatsPlugin from 'ajv-formats'
import { assertHeaders, jsonBody } from '../support/assertions.ts'
import { startContractService } from '../support/contract-service.ts'
import { sharedContractService } from '../support/shared-service.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(sharedContractService)

interface Document {
  openapi: string
  paths: Record<string, Record<string, { responses: Record<string, object>; security?: unknown; operationId: string }>>
  security: unknown
  components: { schemas: Record<string, { required: string[]; properties: object }>; securitySchemes: object }
}

const committed = (name: string) => JSON.parse(readFileSync(new URL(`../../contract/${name}`, import.meta.url), 'utf8'))

test('the contract is public: /openapi.json needs no key', async ({ send }) => {
  const response = await send('/openapi.json')
  assert.equal(response.status, 200)
  assertHeaders(response, {
    ...jsonBody(response),
    'cache-control': 'no-cache',
    etag: response.headers.etag ?? 'none',
    vary: 'Accept-Encoding',
  })
})

test('it is OpenAPI 3.1 and lists exactly the public operations, with all their methods', async (service) => {
  const { send } = service
  const { json, text } = await send('/openapi.json')
  const { openapi, paths } = json as Document
  assert.match(openapi, /^3\.1\.\d$/)
  assert.deepEqual(
    Object.entries(paths).map(([path, item]) => `${Object.keys(item)} ${path}`),
    ['get,head,options /workspace', 'get,head,options /tasks', 'post /mcp', 'post /v1/mcp', 'post /v2/mcp'],
  )
  assert.doesNotMatch(text, /\/settings\/|\/api\//, 'nothing private')
})

test('every problem code is listed for an operation, except those that no operation raises', async ({ send }) => {
  const { paths } = (await send('/openapi.json')).json as Document
  const bodies = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ responses }) => Object.values(responses) as { content?: Record<string, { examples?: object }> }[])
    .flatMap(({ content = {} }) => Object.values(content))
  const listed = new Set(bodies.flatMap(({ examples = {} }) => Object.keys(examples)))
  const documented = globSync('[a-z]*.md', { cwd: new URL('../../docs/problems/', import.meta.url).pathname })
  assert.deepEqual(
    documented
      .map((file) => file.replace('.md', ''))
      .filter((code) => !listed.has(code))
      .sort(),
    ['headers_too_large', 'not_found', 'not_ready', 'request_timeout', 'source_unavailable'],
  )
})

test('every operation documents every status it can return', async ({ send }) => {
  const { paths } = (await send('/openapi.json')).json as Document
  const statuses = (path: string, method: string) => Object.keys(paths[path]?.[method]?.responses ?? {}).join(' ')
  assert.equal(statuses('/workspace', 'get'), '200 304 401 403 404 405 429 500 503 default')
  assert.equal(statuses('/tasks', 'get'), '200 304 401 403 405 429 500 503 default')
  assert.equal(statuses('/workspace', 'head'), '200 304 401 403 404 405 429 500 503 default')
  assert.equal(statuses('/tasks', 'head'), '200 304 401 403 405 429 500 503 default')
  for (const path of ['/workspace', '/tasks']) assert.equal(statuses(path, 'options'), '204 400 default')
  assert.equal(statuses('/mcp', 'post'), '200 202 400 401 403 405 429 500 503 default')
  assert.equal(statuses('/v1/mcp', 'post'), '200 202 400 401 403 405 429 500 503 default')
  assert.equal(statuses('/v2/mcp', 'post'), '200 202 400 401 403 404 405 429 500 503 default')
})

test('/v2/mcp documents the headers of 2026-07-28, both request bodies, and its errors in both media types', async (service) => {
  const { send } = service
  const { post } = ((await send('/openapi.json')).json as Document).paths['/v2/mcp'] ?? {}
  const { parameters, requestBody, responses } = post as unknown as {
    parameters: { name: string }[]
    requestBody: { content: Record<string, { schema: object }> }
    responses: Record<string, { content: Record<string, { examples: Record<string, { value: unknown }> }> }>
  }
  assert.deepEqual(
    parameters.map(({ name }) => name),
    ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'],
  )
  assert.deepEqual(requestBody.content['application/json']?.schema, {
    anyOf: [{ $ref: '#/components/schemas/JsonRpcRequest' }, { $ref: '#/components/schemas/McpRequest' }],
  })
  const codes = (status: number, type: string) =>
    Object.keys(responses[status]?.content[type]?.examples ?? {}).join(' ')
  assert.equal(codes(200, 'application/json'), '2025-03-26 2026-07-28 invalid_params tool_not_found internal_error')
  assert.equal(
    codes(400, 'application/json'),
    'invalid_json invalid_jsonrpc_request invalid_request_metadata header_mismatch unsupported_protocol_version',
  )
  assert.equal(
    codes(400, 'application/problem+json'),
    'invalid_json invalid_jsonrpc_request unsupported_protocol_version unsupported_media_type payload_too_large bad_request',
  )
  assert.deepEqual(Object.keys(responses[400]?.content ?? {}), ['application/json', 'application/problem+json'])
  assert.equal(codes(404, 'application/json'), 'method_not_found')
  assert.deepEqual(Object.keys(responses[404]?.content ?? {}), ['application/json'])
})

test('the first request that a program generates for each MCP path works, with its optional headers or without', async (service) => {
  const { send, rpc } = service
  const { paths } = (await send('/openapi.json')).json as Document
  for (const path of ['/mcp', '/v1/mcp', '/v2/mcp']) {
    const { post } = paths[path] ?? {}
    const { parameters, requestBody } = post as unknown as {
      parameters: { name: string; example: string; required: boolean }[]
      requestBody: { content: Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }> }
    }
    const { example, examples = {} } = requestBody.content['application/json'] ?? {}
    const body = example ?? Object.values(examples)[0]?.value
    const all = parameters.map(({ name, example }) => [name, example])
    assert.ok(parameters.every(({ required }) => !required))
    for (const headers of [Object.fromEntries(all), {}]) {
      const { status, json } = await rpc(body, headers, path)
      assert.equal(status, 200, path)
      assert.ok('result' in (json as object), JSON.stringify(json))
    }
  }
})

nodeTest('the arguments and results of the tools are documented as they are', async (t) => {
  const { send, call, addTasks } = await startContractService(t)
  const document = (await send('/openapi.json')).json as Document
  const { schemas } = document.components as { schemas: Record<string, object> }
  const { tools } = committed('tools-2026-07-28.json') as { tools: { name: string; inputSchema: object }[] }
  assert.deepEqual(schemas.ListTasksArguments, tools.find(({ name }) => name === 'list_tasks')?.inputSchema)
  assert.deepEqual(schemas.McpToolArguments, {
    anyOf: [
      { $ref: '#/components/schemas/ListTasksArguments' },
      { type: 'object', properties: {}, additionalProperties: true },
    ],
    description: "On `tools/call`, the tool's arguments: those of `list_tasks` are `ListTasksArguments`.",
  })
  await addTasks([{ id: 'a', title: 'Linen' }, { id: 'b' }])
  const ajv = new Ajv2020({ strict: false, validateSchema: false })
  formatsPlugin.default(ajv)
  ajv.addSchema(document, 'openapi')
  const page = 'asOf localDate timezone etag total hasMore nextCursor tasks'
  const { properties } = schemas.ListTasksResult as { properties: object }
  for (const [question, members] of [
    [{ limit: 1 }, page],
    [{ fields: ['dueAt'] }, page],
    [{ changedSince: 'today' }, 'asOf localDate timezone etag since total hasMore nextCursor tasks gone'],
    [{ countBy: 'assignee' }, 'asOf localDate timezone etag total overdue counts more'],
  ] as const) {
    const { result } = await call('list_tasks', question)
    const shown = JSON.parse(result?.content[0]?.text ?? '')
    assert.ok(ajv.validate('openapi#/components/schemas/ListTasksResult', shown), ajv.errorsText())
    assert.equal(Object.keys(shown).join(' '), members)
    for (const name of members.split(' ')) assert.ok(name in properties, name)
  }
  const { result } = await call('get_workspace')
  assert.ok(ajv.validate('openapi#/components/schemas/Workspace', JSON.parse(result?.content[0]?.text ?? '').workspace))
})

test('the lengths of a task are documented, and only MCP paths and declared resources may be retired', async (service) => {
  const { components, info } = (await service.send('/openapi.json')).json as Document & {
    info: { description: string }
  }
  const properties = Object.entries(components.schemas.Task?.properties ?? {}) as [string, { maxLength?: number }][]
  assert.deepEqual(
    properties.map(([name, { maxLength }]) => `${name} ${maxLength}`),
    [
      'id 200',
      'title 500',
      'details 10000',
      'dueAt undefined',
      'bookKey 200',
      'assigneeName 200',
      'assigneeEmail 320',
      'sourceSessionId 200',
      'sourceTitle 500',
      'sourceSummary 10000',
      'sourceKind 100',
    ],
  )
  assert.match(info.description, /built-in REST paths are never removed.* An MCP path.* `Deprecation` and `Sunset`/)
})

test('every operation requires the bearer key, except OPTIONS', async ({ send }) => {
  const { paths, security, components } = (await send('/openapi.json')).json as Document
  const [[name, scheme]] = Object.entries(components.securitySchemes) as [[string, { type: string; scheme: string }]]
  assert.equal(scheme.type, 'http')
  assert.equal(scheme.scheme, 'bearer')
  assert.deepEqual(security, [{ [name]: [] }])
  for (const item of Object.values(paths))
    for (const [method, operation] of Object.entries(item))
      assert.deepEqual(operation.security, method === 'options' ? [] : undefined)
})

test('all fields of the resources are documented as required', async ({ send }) => {
  const { schemas } = ((await send('/openapi.json')).json as Document).components
  const workspace = ['id', 'name', 'slug', 'timezone', 'currencyCode', 'countryCode']
  const task = ['id', 'title', 'details', 'dueAt', 'bookKey', 'assigneeName', 'assigneeEmail']
  task.push('sourceSessionId', 'sourceTitle', 'sourceSummary', 'sourceKind')
  const problem = ['type', 'title', 'status', 'code', 'detail', 'hint']
  assert.deepEqual(schemas.Workspace?.required, workspace)
  assert.deepEqual(Object.keys(schemas.Workspace?.properties ?? {}), workspace)
  assert.deepEqual(schemas.Task?.required, task)
  assert.deepEqual(Object.keys(schemas.Task?.properties ?? {}), task)
  assert.deepEqual(schemas.Problem?.required, problem)
  assert.deepEqual(Object.keys(schemas.Problem?.properties ?? {}), [...problem, 'instance'])
})

test('HEAD is documented as GET without a body, and OPTIONS as 204 with Allow', async ({ send, get, key }) => {
  const { paths } = (await send('/openapi.json')).json as Document
  type Responses = Record<string, { headers: object; content?: object }>
  for (const [path, name] of [
    ['/workspace', 'Workspace'],
    ['/tasks', 'Tasks'],
  ] as const) {
    const { get: read, head, options } = paths[path] ?? {}
    assert.equal(head?.operationId, `read${name}Head`)
    assert.equal(options?.operationId, `read${name}Options`)
    for (const [status, response] of Object.entries((head?.responses ?? {}) as Responses)) {
      assert.ok(!('content' in response), `${path} ${status}`)
      assert.deepEqual(response.headers, ((read?.responses ?? {}) as Responses)[status]?.headers)
    }
    assert.deepEqual(Object.keys(((options?.responses ?? {}) as Responses)['204']?.headers ?? {}), [
      'RateLimit-Limit',
      'RateLimit-Policy',
      'X-Request-Id',
      'Allow',
    ])
    // `send` checks each of these against the document.
    const headers = { authorization: `Bearer ${key}` }
    const { etag = '' } = (await get(path)).headers
    assert.equal((await send(path, { method: 'HEAD', headers })).status, 200)
    assert.equal((await send(path, { method: 'HEAD', headers: { ...headers, 'if-none-match': etag } })).status, 304)
    assert.equal((await send(path, { method: 'HEAD' })).status, 401)
    const asked = await send(path, { method: 'OPTIONS' })
    assert.equal(`${asked.status} ${asked.headers.allow}`, '204 GET, HEAD')
    assert.equal((await send(path, { method: 'OPTIONS', headers: { host: 'a b' } })).status, 400)
  }
})

test('the Cache-Control that every problem carries is documented', async ({ send }) => {
  const { paths } = (await send('/openapi.json')).json as Document
  for (const [path, item] of Object.entries(paths))
    for (const [method, { responses }] of Object.entries(item))
      for (const [status, response] of Object.entries(responses).filter(([status]) => !/^[23]/.test(status)))
        assert.ok('Cache-Control' in (response as { headers: object }).headers, `${method} ${path} ${status}`)
})

nodeTest('it names the public URL as its server, and the documentation there', async (t) => {
  const { send } = await startContractService(t, { env: { PUBLIC_URL: 'https://vitrine.example' } })
  const { servers, info } = (await send('/openapi.json')).json as { servers: unknown; info: { contact: unknown } }
  assert.deepEqual(servers, [{ url: 'https://vitrine.example' }])
  assert.deepEqual(info.contact, { name: 'The operator of this service', url: 'https://vitrine.example/docs' })
})

test('it is sent again only after a change, and compressed if the client accepts that', async ({ send }) => {
  const whole = await send('/openapi.json')
  const packed = await send('/openapi.json', { headers: { 'accept-encoding': 'gzip' } })
  assert.equal(packed.headers['content-encoding'], 'gzip')
  assert.deepEqual(gunzipSync(packed.body), whole.body)
  // A different coding is a different representation (RFC 9110, 8.8.3.3).
  assert.notEqual(packed.headers.etag, whole.headers.etag)
  for (const [headers, { etag = '' }] of [
    [{}, whole.headers],
    [{ 'accept-encoding': 'gzip' }, packed.headers],
  ] as const) {
    const again = await send('/openapi.json', { headers: { ...headers, 'if-none-match': etag } })
    assert.equal(again.status, 304)
    assert.equal(again.body.length, 0)
    assertHeaders(again, { etag, 'cache-control': 'no-cache', vary: 'Accept-Encoding' })
  }
  assert.equal((await send('/openapi.json', { headers: { 'if-none-match': '"other"' } })).status, 200)
})

test('contract/openapi.json is what is served; `npm run contract` regenerates it', async ({ send }) => {
  assert.deepEqual((await send('/openapi.json')).json, committed('openapi.json'))
})

test('contract/tools.json is what tools/list returns; `npm run contract` regenerates it', async ({ rpc }) => {
  const { json } = await rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  assert.deepEqual((json as { result: unknown }).result, committed('tools.json'))
})
