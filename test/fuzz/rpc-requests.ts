import fc from 'fast-check'
import { resources } from '../resources/declared/orders.ts'
import { authorization, idleHeaders, isRefused, type KeyKind, keyKinds } from './api-requests.ts'
import { framed, type Header, memoized, mostly, type Sent, wire, words } from './requests.ts'
import type { Target } from './target.ts'

/** JSON as text, so that numbers no double can hold and escaped names can be sent too. */
type Json = string

const ids = fc.oneof(
  fc.constantFrom<Json>(...words('0 -7 1.5 "" null "a" "é🎈\\u0000" 12345678901234567890 -0 1e2 1E400 1e-400')),
  fc.constantFrom<Json>('true', '{}', '[]', '1,"id":2.5', '1,"\\u0069d":12345678901234567890'),
  fc.integer().map(String),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => JSON.stringify(text)),
)

const METHODS = ['tools/call', 'ping', 'initialize', 'tools/list', 'server/discover', 'notifications/initialized']
const methods = mostly([
  ...METHODS,
  ...words('resources/list __proto__ toString PING'),
  'tools/call ',
  '',
  'a'.repeat(500),
])

const text = (...known: unknown[]) =>
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom<unknown>(...known, '', '\0', '\ud800', null, 5, []),
  )
const INSTANTS = ['2026-11-16T17:00:00Z', '2026-02-30T00:00:00Z', '9999-12-31T23:59:60Z', 'now', '2026-11-16', 0]
const limit = fc.oneof(fc.integer({ min: -2, max: 102 }), fc.constantFrom<unknown>(1.5, '5', null, 1e308, [], true))
const long = 'x'.repeat(5000)

const args: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  fc.record(
    {
      limit,
      bookKey: text('linen'),
      assigneeEmail: text('ANA@x.EXAMPLE', 'ana@x.example', long, '\u212a@x'),
      dueBefore: fc.constantFrom<unknown>(...INSTANTS, '+275760-09-13T00:00:00Z', '0000-00-00T00:00:00Z'),
      due: fc.constantFrom<unknown>('today', 'overdue', 'this_week', 'none', 'yesterday', '', null),
      query: text('linen', 'a b', '%', '"', 'NEAR(', ' ', 'ẞ'.repeat(300)),
      assignee: text('ana', 'ANA@x.example', 'İ', '*'),
      unassigned: fc.constantFrom<unknown>(true, false, 'true'),
      ids: fc.constantFrom<unknown>(['task-1'], [], ['\0'], Array(101).fill('x'), 'task-1', [7]),
      countBy: fc.constantFrom<unknown>('assignee', 'dueDate', 'bookKey', 'title', '__proto__', null),
      fields: fc.constantFrom<unknown>(['dueAt'], [], ['status'], 'title'),
      cursor: fc.constantFrom<unknown>('', 'AAAA', 'A'.repeat(5000), null),
      ifNoneMatch: fc.constantFrom<unknown>('', 'x', long, 7),
      changedSince: fc.constantFrom<unknown>('', 'today', 'AAAA', long, ...INSTANTS),
    },
    { requiredKeys: [] },
  ),
  fc.record(
    {
      supplier: text('Zoë', long),
      status: fc.constantFrom<unknown>('sent', 'closed', 'SENT', '', '__proto__', null, true),
      deliveryAtAfter: fc.constantFrom<unknown>(...INSTANTS, '0001-01-01', '9999-12-31'),
      orderedOnAfter: fc.constantFrom<unknown>('2026-11-16', 5),
      query: text('zoë', '%', '"', 'NEAR('),
      ids: fc.constantFrom<unknown>(['PO-1'], ["'; --"], []),
      countBy: fc.constantFrom<unknown>('status', 'supplier', 'urgent', 'total', 'constructor'),
      fields: fc.constantFrom<unknown>(['total'], ['constructor'], [null]),
      limit,
      cursor: fc.constantFrom<unknown>('AAAA', 'bnVsbA', 5),
    },
    { requiredKeys: [] },
  ),
  fc.constantFrom<unknown>(null, [], 'x', 7, { constructor: 1 }, { limit: 1, x: 1 }, { '': '' }),
)

const toolNames: unknown[] = resources.map(({ tool }) => tool.name)
const names = mostly<unknown>([
  ...toolNames,
  ...words('no_such_tool __proto__ é🎈 =?base64?eA==?='),
  '',
  ' x ',
  5,
  null,
  ['x'],
])

const VERSION = '2026-07-28'
const meta = fc.record({
  version: mostly<unknown>([VERSION, '2027-01-01', '2025-03-26', 'x', '', 20260728, null]),
  capabilities: mostly<unknown>([{}, { sampling: {} }, undefined, null, [], 'x']),
})

/** What a header does with the value that it should repeat. */
const mirrors: ((name: string, value: string) => Header[])[] = [
  (name, value) => [[name, value]],
  () => [],
  (name, value) => [[name, `${value}x`]],
  (name, value) => Array<Header>(2).fill([name, value]),
  (name, value) => [[name.toUpperCase(), value]],
  (name, value) => [[name, `=?base64?${Buffer.from(value).toString('base64')}?=`]],
]
const printable = (value: unknown) => String(value).replace(/[^\x20-\x7e]/g, '')

const mediaTypes = [
  'application/json',
  'application/json;charset="UTF-8"',
  'text/plain',
  'multipart/form-data',
  undefined,
]
const versions = [undefined, '2025-03-26', '2025-11-25', VERSION, '2024-11-05', '2025-13-45', 'latest', '']
const origins = [undefined, 'http://localhost:1234', 'https://evil.example', 'null', 'http://[::1']

/** MCP requests of both versions, most of them nearly valid. */
export const rpcRequest = ({ keys }: Target): fc.Arbitrary<Sent> => {
  const idle = idleHeaders(keys)
  const keyOf = memoized((kind: KeyKind) => authorization(keys, kind))
  return fc
    .record({
      jsonrpc: mostly<Json | undefined>(['"2.0"', '"1.0"', '2.0', 'null', undefined]),
      id: fc.option(ids, { nil: undefined, freq: 8 }),
      method: methods,
      name: names,
      args,
      params: mostly<unknown>(['', undefined, {}, { cursor: 'x' }, [], null, 'x', [1]]),
      meta: fc.option(meta, { nil: undefined, freq: 2 }),
      extra: mostly(['', '"foo":1', '"result":{}', '"__proto__":{}', '"Id":1']),
      space: mostly(['', ' ', '\r\n\t']),
      path: fc.constantFrom('/mcp', '/v1/mcp', '/v2/mcp'),
      kind: mostly(['full', ...keyKinds] as const),
      media: mostly(mediaTypes),
      version: mostly(versions),
      origin: mostly(origins),
      mirrored: fc.tuple(mostly(mirrors), mostly(mirrors), mostly(mirrors)),
      expects: mostly<Header[]>([[], [['Expect', '100-continue']]]),
      chunks: fc.option(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 6 }), { nil: undefined, freq: 3 }),
    })
    .chain((spec) => fc.record({ key: keyOf(spec.kind), idle }).map((more) => ({ ...spec, ...more })))
    .map(({ jsonrpc, id, method, name, args, meta, extra, space, path, kind, key, idle, ...rest }): Sent => {
      const { media, version, origin, mirrored, expects, chunks } = rest
      const _meta = meta && {
        'io.modelcontextprotocol/protocolVersion': meta.version,
        'io.modelcontextprotocol/clientCapabilities': meta.capabilities,
      }
      const params = rest.params === '' ? { name, arguments: args, _meta } : rest.params
      const members = [
        jsonrpc && `"jsonrpc":${jsonrpc}`,
        id && `"id":${space}${id}`,
        `"method":${JSON.stringify(method)}`,
        params !== undefined && `"params":${JSON.stringify(params)}`,
        extra,
      ].filter(Boolean)
      const { header, body } = framed(Buffer.from(`${space}{${members.join(`${space},`)}}${space}`), chunks)
      const headers: Header[] = [['Host', 'x'], ...key, header, ...expects, ...idle]
      if (media !== undefined) headers.push(['Content-Type', media])
      if (origin !== undefined) headers.push(['Origin', origin])
      if (meta === undefined && version !== undefined) headers.push(['MCP-Protocol-Version', version])
      if (meta !== undefined)
        headers.push(
          ...mirrored[0]('MCP-Protocol-Version', printable(meta.version)),
          ...mirrored[1]('Mcp-Method', printable(method)),
          ...mirrored[2]('Mcp-Name', printable(name)),
        )
      return { bytes: wire('POST', path, headers, body), method: 'POST', path, isRefused: isRefused(kind) }
    })
}

const valid = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tasks","arguments":{"limit":2}}}'
const edit = fc.record({
  at: fc.nat({ max: valid.length }),
  remove: fc.nat({ max: 2 }),
  insert: fc.uint8Array({ maxLength: 2 }),
})

const brokenText: fc.Arbitrary<Buffer> = fc.oneof(
  // A valid body with one to three bytes replaced, put in or left out.
  fc.array(edit, { minLength: 1, maxLength: 3 }).map((edits) => {
    let bytes = Buffer.from(valid)
    for (const { at, remove, insert } of edits)
      bytes = Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + remove)])
    return bytes
  }),
  fc.json().map((json) => Buffer.from(json)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom('', ' ', '\ufeff{}', 'null', '[]', `[${valid}]`, `${valid}${valid}`).map((json) => Buffer.from(json)),
  fc
    .integer({ min: 10, max: 60_000 })
    .chain((depth) => fc.constantFrom('[', '{"a":', '[{"":').map((open) => Buffer.from(open.repeat(depth)))),
  fc.constantFrom(1024 * 1024 - 1, 1024 * 1024, 1024 * 1024 + 1).map((size) => Buffer.alloc(size, '[')),
)

/** Bodies that are mostly not JSON-RPC at all. */
export const brokenBodyRequest = ({ keys }: Target): fc.Arbitrary<Sent> =>
  fc
    .record({
      text: brokenText,
      path: fc.constantFrom('/mcp', '/v2/mcp'),
      version: fc.constantFrom<Header[]>([], [['MCP-Protocol-Version', VERSION]]),
      chunks: fc.option(fc.constant([1, 2, 70_000]), { nil: undefined, freq: 3 }),
    })
    .map(({ text, path, version, chunks }) => {
      const { header, body } = framed(text, chunks)
      const type: Header = ['Content-Type', 'application/json']
      const headers: Header[] = [['Host', 'x'], ['Authorization', `Bearer ${keys.full}`], type, header, ...version]
      return { bytes: wire('POST', path, headers, body), method: 'POST', path }
    })
