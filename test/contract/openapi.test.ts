import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test as nodeTest } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formatsPlugin from 'ajv-formats'
import { assertHeaders, jsonBody } from '../support/assertions.ts'
import { sharedContractService } from '../support/contract-service.ts'
import { testWith } from '../support/database.ts'
import { modernService, startModernTools } from '../support/modern-client.ts'

const test = testWith(sharedContractService)

interface Document {
  openapi: string
  paths: Record<string, Record<string, object>>
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

interface Tool {
  name: string
  inputSchema: object
  outputSchema: object
}

nodeTest('the arguments and results of the tools are as the document and tools/list describe them', async (t) => {
  const { send, ask, list, call, callTool, addTasks } = await startModernTools(t)
  await addTasks([{ id: 'a', dueAt: '2026-11-16T09:00:00.000Z', details: 'x'.repeat(501) }, { id: 'b' }])
  const { tools } = ((await ask('tools/list')).json as { result: { tools: Tool[] } }).result
  const ajv = new Ajv2020({ strict: false, validateSchema: false })
  formatsPlugin.default(ajv)
  ajv.addSchema((await send('/openapi.json')).json as Document, 'openapi')
  const assertFits = (schema: object | string, value: unknown) =>
    assert.ok(ajv.validate(schema, value), `${ajv.errorsText()} ${JSON.stringify(value)}`)
  const { etag } = await list()
  const page = 'asOf localDate timezone etag total hasMore nextCursor tasks'
  for (const [args, members] of [
    [{ limit: 1 }, page],
    [{ fields: [] }, page],
    [{ fields: ['id', 'title', 'dueAt'] }, page],
    [{ bookKey: 'none' }, page],
    [{ ifNoneMatch: etag }, 'unchanged asOf etag'],
    [{ changedSince: 'today', due: 'today' }, 'asOf localDate timezone etag since total hasMore nextCursor tasks gone'],
    [{ dueBefore: '2026-11-20', dueAfter: '2026-11-01T00:00:00Z', assigneeEmail: 'x@y', limit: 5 }, undefined],
    [{ unassigned: true, query: 'x', ids: ['a'], sourceSessionId: 's' }, undefined],
    [{ countBy: 'assignee' }, 'asOf localDate timezone etag total overdue counts more'],
  ] as const) {
    const { inputSchema, outputSchema } = tools.find(({ name }) => name === 'list_tasks') as Tool
    assertFits(inputSchema, args)
    const { result } = (await callTool('list_tasks', args)).json as { result: { structuredContent: object } }
    assertFits(outputSchema, result.structuredContent)
    if (members !== undefined) assert.equal(Object.keys(result.structuredContent).join(' '), members)
    // An etag is of one version.
    const old = await call('list_tasks', 'ifNoneMatch' in args ? { limit: 2 } : args)
    assertFits('openapi#/components/schemas/ListTasksResult', JSON.parse(old.result?.content[0]?.text ?? ''))
  }
  const { workspace } = JSON.parse((await call('get_workspace')).result?.content[0]?.text ?? '')
  assertFits('openapi#/components/schemas/Workspace', workspace)
})

test('what is served is what contract/ has, which `npm run contract` regenerates', async (service) => {
  assert.deepEqual((await service.send('/openapi.json')).json, committed('openapi.json'))
  const { json: old } = await service.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  assert.deepEqual((old as { result: unknown }).result, committed('tools.json'))
  const { json: modern } = await modernService(service).ask('tools/list')
  assert.deepEqual((modern as { result: { tools: unknown } }).result.tools, committed('tools-2026-07-28.json').tools)
})
