import assert from 'node:assert/strict'
import { sharedModernService } from '../support/contract-service.ts'
import { testWith } from '../support/database.ts'
import { assertRpcError, CAPABILITIES_MEMBER, modernHeaders, VERSION_MEMBER } from '../support/modern-client.ts'

const test = testWith(sharedModernService)

const mismatch = { status: 400, error: -32020, problem: 'header_mismatch', id: '1' }
const unknownTool = { status: 200, error: -32602, problem: 'tool_not_found', problemStatus: 404, id: '1' }
const base64 = (text: string | Buffer) => `=?base64?${Buffer.from(text).toString('base64')}?=`

test('no header may be missing, empty or different from the body', async ({ ask }) => {
  const wrong: [header: string, values: (string | undefined)[]][] = [
    ['mcp-protocol-version', [undefined, '', '2025-03-26', '2025-11-25', '2027-01-01', '2026-07-28 x', 'latest']],
    ['mcp-method', [undefined, '', 'tools/list', 'Tools/Call', 'TOOLS/CALL', 'tools/call;q=1', 'server/discover']],
    ['mcp-name', [undefined, '', 'list_tasks', 'GET_WORKSPACE', '"get_workspace"', 'get_workspace;x', 'get_workspac']],
  ]
  for (const [header, values] of wrong)
    for (const value of values) {
      const response = await ask('tools/call', { name: 'get_workspace' }, { [header]: value })
      const detail = assertRpcError(response, mismatch)
      assert.ok(detail.toLowerCase().includes(header), `${header}: ${value}: ${detail}`)
      if (value === undefined) assert.match(detail, /missing/)
    }
})

test('a header that is sent twice is refused, even with the same value', async ({ ask }) => {
  for (const [header, value] of Object.entries(modernHeaders('tools/call', 'get_workspace')))
    for (const values of [
      [value, value],
      [value, 'x'],
      ['x', value],
    ])
      assertRpcError(await ask('tools/call', { name: 'get_workspace' }, { [header]: values }), mismatch)
})

test('a name in base64 is decoded before it is compared', async ({ ask }) => {
  const response = await ask('tools/call', { name: 'get_workspace' }, { 'mcp-name': base64('get_workspace') })
  assert.match(response.text, /"result"/)
  for (const name of [
    '',
    ' ',
    ' padded ',
    'line1\nline2',
    'Hello, 世界',
    '👜',
    '=?base64?literal?=',
    '=?base64?',
    '\0',
  ])
    assertRpcError(await ask('tools/call', { name }, { 'mcp-name': base64(name) }), unknownTool)
})

test('a plain name that looks like base64 is decoded as base64', async ({ ask }) => {
  const name = base64('get_workspace')
  assertRpcError(await ask('tools/call', { name }, { 'mcp-name': name }), mismatch)
  assertRpcError(await ask('tools/call', { name }, { 'mcp-name': base64(name) }), unknownTool)
  for (const name of ['', '=?base64?='])
    assertRpcError(await ask('tools/call', { name }, { 'mcp-name': '=?base64?=' }), mismatch)
  assertRpcError(await ask('tools/call', { name: '' }, { 'mcp-name': '=?base64??=' }), unknownTool)
  // The markers are lower case only.
  const other = name.replace('base64', 'BASE64')
  assertRpcError(await ask('tools/call', { name: 'get_workspace' }, { 'mcp-name': other }), mismatch)
  assertRpcError(await ask('tools/call', { name: other }, { 'mcp-name': other }), unknownTool)
})

test('base64 that an encoder would not write, or that is not UTF-8, is malformed', async ({ ask }) => {
  const malformed: [name: string, header: string][] = [
    // Z2V0X3dvcmtzcGFjZQ== is get_workspace.
    ['get_workspace', '=?base64?Z2V0X3dvcmtzcGFjZQ?='],
    ['get_workspace', '=?base64? Z2V0X3dvcmtzcGFjZQ== ?='],
    ['get_workspace', '=?base64?Z2V0X3dv cmtzcGFjZQ==?='],
    ['get_workspace', '=?base64?Z2V0X3dvcmtzcGFjZQ==!?='],
    ['get_workspace', '=?base64?get_workspace?='],
    // ">>>???" differs between the two alphabets.
    ['>>>???', `=?base64?${Buffer.from('>>>???').toString('base64url')}?=`],
    ['\ufffd', base64(Buffer.from([0xff]))],
    ['\ufffd\ufffd\ufffd', base64(Buffer.from([0xed, 0xa0, 0x80]))],
    ['\ufffd', base64(Buffer.from([0xc3]))],
    ['a', base64(Buffer.from([0xc1, 0xa1]))],
  ]
  for (const [name, header] of malformed)
    assertRpcError(await ask('tools/call', { name }, { 'mcp-name': header }), mismatch)
})

test('an unsupported version is reported only if header and body agree on it', async ({ post }) => {
  for (const version of ['2027-01-01', '2025-11-25', '2024-11-05', '2025-06-18', 'DRAFT-2026-v1', '2026-7-28', 'x']) {
    const _meta = { [VERSION_MEMBER]: version, [CAPABILITIES_MEMBER]: {} }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } }
    const headers = { 'mcp-protocol-version': version, 'mcp-method': 'tools/list' }
    assertRpcError(await post(message, headers), {
      status: 400,
      error: -32022,
      problem: 'unsupported_protocol_version',
      id: '1',
      data: { supported: ['2026-07-28', '2025-03-26'], requested: version },
    })
    for (const other of [undefined, '2026-07-28'])
      assertRpcError(await post(message, { ...headers, 'mcp-protocol-version': other }), mismatch)
  }
})
