import assert from 'node:assert/strict'
import { sharedModernService } from '../support/contract-service.ts'
import { testWith } from '../support/database.ts'
import type { HttpResponse } from '../support/exchange.ts'
import { assertRpcError, CAPABILITIES_MEMBER, type ModernService, VERSION_MEMBER } from '../support/modern-client.ts'

const test = testWith(sharedModernService)

/** The request, part by part; each fault of the contract's table changes one of them, and several can be put together. */
interface Draft {
  text?: string
  id: string
  jsonrpc: string
  meta: Record<string, unknown>
  version: string | undefined
  method: string
  methodHeader: string | undefined
  params: Record<string, unknown>
  nameHeader: string | undefined
}

const right = (): Draft => ({
  id: '1',
  jsonrpc: '"2.0"',
  meta: { [VERSION_MEMBER]: '2026-07-28', [CAPABILITIES_MEMBER]: {} },
  version: '2026-07-28',
  method: 'tools/call',
  methodHeader: 'tools/call',
  params: { name: 'get_workspace' },
  nameHeader: 'get_workspace',
})

interface Row {
  case: string
  spoil(draft: Draft): void
  expected: { status: number; error: number; problem: string; problemStatus?: number; data?: object }
}

/** `expected` has the status, the error and the problem. */
function row(
  what: string,
  expected: string,
  spoil: Row['spoil'],
  more: { problemStatus?: number; data?: object } = {},
): Row {
  const [status, error, problem = ''] = expected.split(' ')
  return { case: what, spoil, expected: { status: Number(status), error: Number(error), problem, ...more } }
}

/** A request that cannot be read has no id. */
const WITHOUT_ID = ['invalid_json', 'invalid_jsonrpc_request']

/** The contract's table, in its order. */
const rows: Row[] = [
  row('not JSON', '400 -32700 invalid_json', (draft) => {
    draft.text = '{"jsonrpc":"2.0","id":1,'
  }),
  row('not one request object', '400 -32600 invalid_jsonrpc_request', (draft) => {
    draft.jsonrpc = '"1.0"'
  }),
  row('id null', '400 -32600 invalid_jsonrpc_request', (draft) => {
    draft.id = 'null'
  }),
  row('_meta lacks the capabilities', '400 -32602 invalid_request_metadata', ({ meta }) => {
    delete meta[CAPABILITIES_MEMBER]
  }),
  row('Mcp-Method other than the body', '400 -32020 header_mismatch', (draft) => {
    draft.methodHeader = 'tools/list'
  }),
  row(
    'an unsupported version',
    '400 -32022 unsupported_protocol_version',
    (draft) => {
      draft.meta[VERSION_MEMBER] = '2027-01-01'
      draft.version = '2027-01-01'
    },
    { data: { supported: ['2026-07-28', '2025-03-26'], requested: '2027-01-01' } },
  ),
  row('unknown method', '404 -32601 method_not_found', (draft) => {
    // The header matches, unless an earlier fault has changed it.
    if (draft.methodHeader === draft.method) draft.methodHeader = 'resources/read'
    draft.method = 'resources/read'
  }),
  row('params.name not a string', '200 -32602 invalid_params', ({ params }) => Object.assign(params, { name: 5 }), {
    problemStatus: 400,
  }),
  row(
    'unknown tool',
    '200 -32602 tool_not_found',
    (draft) => {
      draft.nameHeader = 'no_such_tool'
      draft.params.name = 'no_such_tool'
    },
    { problemStatus: 404 },
  ),
]

function sendDraft({ post }: ModernService, draft: Draft): Promise<HttpResponse> {
  const { text, id, jsonrpc, meta, version, method, methodHeader, params, nameHeader } = draft
  const body =
    text ??
    `{"jsonrpc":${jsonrpc},"id":${id},"method":"${method}","params":${JSON.stringify({ ...params, _meta: meta })}}`
  return post(body, { 'mcp-protocol-version': version, 'mcp-method': methodHeader, 'mcp-name': nameHeader })
}

function assertRow(response: HttpResponse, { expected }: Row): void {
  assertRpcError(response, { ...expected, id: WITHOUT_ID.includes(expected.problem) ? undefined : '1' })
}

test('of two faults the one higher in the table is reported, for every pair', async (service, t) => {
  for (const [at, higher] of rows.entries())
    for (const lower of rows.slice(at + 1)) {
      // A name that is neither a string nor known only counts as the first fault.
      if (higher.case === 'params.name not a string') continue
      const draft = right()
      higher.spoil(draft)
      lower.spoil(draft)
      await t.test(`${higher.case}, then ${lower.case}`, async () => assertRow(await sendDraft(service, draft), higher))
    }
})

const INVALID_PARAMS = { status: 200, error: -32602, problem: 'invalid_params', problemStatus: 400, id: '1' }

test('a missing or non-string params.name is invalid_params, whatever Mcp-Name contains', async ({ ask }) => {
  for (const name of [undefined, null, 5, true, {}, ['get_workspace']])
    for (const headers of [{}, { 'mcp-name': 'get_workspace' }])
      assertRpcError(await ask('tools/call', { name }, headers), INVALID_PARAMS)
})

test('_meta must have the version as a string and the capabilities as an object', async ({ post }) => {
  const capabilities = { [CAPABILITIES_MEMBER]: {} }
  const version = { [VERSION_MEMBER]: '2026-07-28' }
  const lacking: [meta: unknown, detail: RegExp][] = [
    [undefined, /_meta must be an object/],
    [null, /_meta must be an object/],
    [5, /_meta must be an object/],
    [[], /_meta must be an object/],
    ['2026-07-28', /_meta must be an object/],
    [{}, /protocolVersion"/],
    [capabilities, /protocolVersion"/],
    [{ ...capabilities, [VERSION_MEMBER]: 20260728 }, /protocolVersion"/],
    [{ ...capabilities, [VERSION_MEMBER]: null }, /protocolVersion"/],
    [{ ...capabilities, 'io.modelcontextprotocol/protocolversion': '2026-07-28' }, /protocolVersion"/],
    [version, /clientCapabilities"/],
    [{ ...version, [CAPABILITIES_MEMBER]: null }, /clientCapabilities"/],
    [{ ...version, [CAPABILITIES_MEMBER]: [] }, /clientCapabilities"/],
    [{ ...version, [CAPABILITIES_MEMBER]: 'none' }, /clientCapabilities"/],
  ]
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
  for (const [_meta, detail] of lacking) {
    const response = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } }, headers)
    const told = assertRpcError(response, { status: 400, error: -32602, problem: 'invalid_request_metadata', id: '1' })
    assert.match(told, detail)
  }
  const response = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)
  assertRpcError(response, { status: 400, error: -32602, problem: 'invalid_request_metadata', id: '1' })
})
