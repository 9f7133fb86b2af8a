import fc from 'fast-check'
import { refusedHosts, refusedRequests } from '../contract/refused-requests.ts'
import type { Sent } from './requests.ts'
import type { Target } from './target.ts'

/** Requests that no parser may accept: the connection goes with them. */
export const refusedRequest = ({ keys }: Target): fc.Arbitrary<Sent> => {
  const hosts = Object.values(refusedHosts).map((lines) => `GET /tasks HTTP/1.1\r\n${lines}\r\n`)
  const filler = 'a'.repeat(20_000)
  const large = [`GET /${filler} HTTP/1.1\r\nHost: x\r\n\r\n`, `GET /tasks HTTP/1.1\r\nHost: x\r\n${filler}: 1\r\n\r\n`]
  return fc
    .constantFrom(...Object.values(refusedRequests(keys.full)), ...hosts, ...large)
    .map((text): Sent => ({ bytes: Buffer.from(text, 'latin1'), method: 'GET', path: undefined, isRefused: true }))
}

/** Valid requests with a few bytes changed anywhere, or cut off: any outcome is allowed, except a server fault. */
export const mutatedRequest = ({ keys }: Target): fc.Arbitrary<Sent> => {
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
  const list =
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",' +
    '"io.modelcontextprotocol/clientCapabilities":{}}}}'
  const seeds = [
    `POST /v2/mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.full}\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\nContent-Length: ${list.length}\r\n\r\n${list}`,
    `GET /tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.full}\r\nIf-None-Match: "x"\r\n\r\n`,
    `HEAD /workspace HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.full}\r\nConnection: keep-alive\r\n\r\n`,
    `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.full}\r\nContent-Type: application/json\r\nContent-Length: ${ping.length}\r\n\r\n${ping}`,
    `POST /v1/mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.full}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n10;x=1\r\n${ping.slice(0, 16)}\r\n18\r\n${ping.slice(16)}\r\n0\r\nX-Trailer: 1\r\n\r\n`,
    'GET /settings/sign-in?notice=ended HTTP/1.1\r\nHost: x\r\nCookie: vitrine_session=x\r\n\r\n',
    'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n',
  ]
  const token = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom(
        ...['\r\n', '\n', '\r', '\0', ' ', ':', '%', '\r\n\r\n', 'Content-Length: 5\r\n', 'Connection: close\r\n'],
        ...['Transfer-Encoding: chunked\r\n', 'Expect: 100-continue\r\n'],
      )
      .map((text) => Buffer.from(text)),
  )
  const edit = fc.record({
    at: fc.nat({ max: 400 }),
    remove: fc.nat({ max: 3 }),
    insert: fc.option(token, { nil: Buffer.alloc(0) }),
  })
  return fc
    .record({
      seed: fc.constantFrom(...seeds),
      edits: fc.array(edit, { maxLength: 4 }),
      end: fc.option(fc.nat({ max: 400 }), { nil: undefined, freq: 3 }),
    })
    .map(({ seed, edits, end }): Sent => {
      let bytes = Buffer.from(seed, 'latin1')
      for (const { at, remove, insert } of edits) {
        const place = at % bytes.length
        bytes = Buffer.concat([bytes.subarray(0, place), insert, bytes.subarray(place + remove)])
      }
      const isCut = end !== undefined && end < bytes.length
      return { bytes: isCut ? bytes.subarray(0, end) : bytes, method: '', path: undefined, isCut, isMutated: true }
    })
}
