import fc from 'fast-check'
import type { HttpResponse } from '../support/exchange.ts'
import { authorization, idleHeaders, type KeyKind, keyKinds, memoized, outcomeOf } from './api-requests.ts'
import { args, ids, isModernId, type Json, judgeEcho, mostly, toolNames, wantsError } from './mcp-requests.ts'
import { framed, type Header, type Sent, wants, wire, words } from './requests.ts'
import type { Target } from './target.ts'

const PATH = '/v2/mcp'
const VERSION = '2026-07-28'
const VERSION_MEMBER = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES_MEMBER = 'io.modelcontextprotocol/clientCapabilities'
const METHODS = ['tools/call', 'tools/list', 'server/discover']

const OTHERS = words('ping initialize logging/setLevel subscriptions/listen __proto__ toString TOOLS/CALL')
const methods = [...METHODS, ...OTHERS]
const names: unknown[] = [
  ...toolNames,
  ...words('no_such_tool __proto__ é🎈 =?base64?eA==?='),
  '',
  ' x ',
  5,
  null,
  ['x'],
]
/** Each is other than the old version, so that it makes the request a new one whatever its headers. */
const versions: unknown[] = [VERSION, '2027-01-01', '2025-11-25', 'x', '', 20260728, null]
const capabilities: unknown[] = [{}, { sampling: {} }, undefined, null, [], 'x']

/** What a header does with the value that it should repeat: its lines, and whether they match the body. */
const mirrors = {
  repeats: (name: string, value: string) => ({ lines: [[name, value]] as Header[], isRight: true }),
  'is missing': () => ({ lines: [] as Header[], isRight: false }),
  'says more': (name: string, value: string) => ({ lines: [[name, `${value}x`]] as Header[], isRight: false }),
  'comes twice': (name: string, value: string) => ({ lines: Array<Header>(2).fill([name, value]), isRight: false }),
  'is of another case': (name: string, value: string) => ({
    lines: [[name.toUpperCase(), value]] as Header[],
    isRight: true,
  }),
}
const deeds = Object.keys(mirrors) as (keyof typeof mirrors)[]

const isPlain = (text: string) =>
  /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
const inBase64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`

interface Draft {
  id: Json | undefined
  method: string
  name: unknown
  hasName: boolean
  cursor: unknown
  version: unknown
  capability: unknown
}

/** The contract's result for a request with valid or invalid headers. */
function judgeDraft(draft: Draft, areHeadersRight: boolean, mayReadAll: boolean): NonNullable<Sent['judge']> {
  const { id, method, name, hasName, cursor, version, capability } = draft
  if (id !== undefined && !isModernId(id)) return wantsError(400, -32600)
  if (id === undefined) return wants(202)
  const hasCapabilities = typeof capability === 'object' && capability !== null && !Array.isArray(capability)
  if (typeof version !== 'string' || !hasCapabilities) return wantsError(400, -32602, id)
  if (!areHeadersRight) return wantsError(400, -32020, id)
  if (version !== VERSION) return wantsError(400, -32022, id)
  if (!METHODS.includes(method)) return wantsError(404, -32601, id)
  if (method === 'tools/list' && cursor !== undefined) return wantsError(200, -32602, id)
  if (method === 'tools/call') {
    const isUsable = hasName && toolNames.includes(name) && (mayReadAll || name === 'get_workspace')
    if (!isUsable) return wantsError(200, -32602, id)
  }
  return (response: HttpResponse) => {
    const { result } = (response.json ?? {}) as { result?: { resultType?: unknown } }
    if (response.status !== 200 || result?.resultType !== 'complete') return `${response.status}: ${response.text}`
    return judgeEcho(id, response)
  }
}

/** MCP 2026-07-28 requests, most of them nearly valid, and their required responses. */
export const modernRequest = ({ keys }: Target): fc.Arbitrary<Sent> => {
  const idle = idleHeaders(keys)
  const keyOf = memoized((kind: KeyKind) => authorization(keys, kind))
  return fc
    .record({
      id: fc.option(ids, { nil: undefined, freq: 8 }),
      method: mostly(methods),
      name: mostly(names),
      hasName: mostly([true, false]),
      cursor: mostly<unknown>([undefined, 'x', null]),
      args,
      version: mostly(versions),
      capability: mostly(capabilities),
      kind: mostly(['full', ...keyKinds] as const),
      deeds: fc.tuple(mostly(deeds), mostly(deeds), mostly(deeds)),
      encodes: fc.boolean(),
      chunks: fc.option(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 4 }), { nil: undefined, freq: 3 }),
    })
    .chain((spec) => fc.record({ key: keyOf(spec.kind), idle }).map((more) => ({ ...spec, ...more })))
    .map(({ args, kind, deeds, encodes, chunks, key, idle, ...draft }): Sent => {
      const { id, method, name, hasName, cursor, version, capability } = draft
      const params = {
        ...(hasName && { name }),
        arguments: args,
        cursor,
        _meta: { [VERSION_MEMBER]: version, [CAPABILITIES_MEMBER]: capability, traceparent: 'x' },
      }
      const json = `{"jsonrpc":"2.0",${id === undefined ? '' : `"id":${id},`}"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`
      const { header, body } = framed(Buffer.from(json), chunks)
      const mirrored = [
        mirrors[deeds[0]]('MCP-Protocol-Version', String(version)),
        mirrors[deeds[1]]('Mcp-Method', method),
      ]
      if (method === 'tools/call' && hasName && typeof name === 'string')
        mirrored.push(mirrors[deeds[2]]('Mcp-Name', isPlain(name) && !encodes ? name : inBase64(name)))
      const headers: Header[] = [
        ['Host', 'x'],
        ['Content-Type', 'application/json'],
        ...key,
        header,
        ...idle,
        ...mirrored.flatMap(({ lines }) => lines),
      ]
      const outcome = outcomeOf('POST', PATH, kind)
      const areHeadersRight = mirrored.every(({ isRight }) => isRight)
      const judge = outcome === 'operation' ? judgeDraft(draft, areHeadersRight, kind !== 'limited') : wants(...outcome)
      return { bytes: wire('POST', PATH, headers, body), method: 'POST', path: PATH, judge }
    })
}
