import fc from 'fast-check'
import { type Sent, wants, wire } from './requests.ts'
import type { Target } from './target.ts'

/** Requests whose framing or head no parser may accept: each is refused, and the connection with it. */
export const refusedRequest = ({ keys }: Target): fc.Arbitrary<Sent> => {
  const post = `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.full}\r\nContent-Type: application/json\r\n`
  const get = `GET /tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.full}\r\n`
  const refused = [
    `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
    `${post}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef`,
    `${post}Content-Length: 2,2\r\n\r\n{}`,
    `${post}Content-Length: +2\r\n\r\n{}`,
    `${post}Content-Length: 0x2\r\n\r\n{}`,
    `${post}Content-Length: 99999999999999999999\r\n\r\n{}`,
    `${post}Transfer-Encoding: chunked\r\n\r\nG\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\n-1\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\n2\r\n{}x\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n`,
    `${post}Transfer-Encoding: gzip\r\n\r\n{}`,
    `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    `${get}Bad Name: 1\r\n\r\n`,
    `${get}X : 1\r\n\r\n`,
    `${get}: 1\r\n\r\n`,
    `${get}X: a\0b\r\n\r\n`,
    `${get}X: a\rb\r\n\r\n`,
    `${get} folded\r\n\r\n`,
    `${get}X\r\n\r\n`,
    'GET /tasks HTTP/1.1\nHost: x\n\n',
    'GET /tasks HTTP/1.1 x\r\nHost: x\r\n\r\n',
    'get /tasks HTTP/1.1\r\nHost: x\r\n\r\n',
    'FOO /tasks HTTP/1.1\r\nHost: x\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    `${get}Host: y\r\n\r\n`,
    `${get}Host: x\r\n\r\n`,
    ...['a b', 'a/b', 'x:port', 'user@x', 'x y:1', 'x,y', '<script>', 'x:99999999', 'a\\b', 'x?y', '[::1'].map(
      (host) => `GET /tasks HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    ),
    'GET /tasks HTTP/1.1\r\nAccept: */*\r\n\r\n',
  ]
  return fc.constantFrom(...refused).map(
    (text): Sent => ({
      bytes: Buffer.from(text, 'latin1'),
      method: 'GET',
      path: undefined,
      judge: wants('bad_request'),
    }),
  )
}

/** Heads over 16 KiB. */
export const oversizeRequest = (): fc.Arbitrary<Sent> =>
  fc
    .record({
      size: fc.integer({ min: 17_000, max: 70_000 }),
      where: fc.constantFrom('value', 'name', 'target', 'many', 'method'),
    })
    .map(({ size, where }): Sent => {
      const filler = 'a'.repeat(size)
      const text = {
        value: `GET /tasks HTTP/1.1\r\nHost: x\r\nX: ${filler}\r\n\r\n`,
        name: `GET /tasks HTTP/1.1\r\nHost: x\r\n${filler}: 1\r\n\r\n`,
        target: `GET /${filler} HTTP/1.1\r\nHost: x\r\n\r\n`,
        many: `GET /tasks HTTP/1.1\r\nHost: x\r\n${'X: 0123456789\r\n'.repeat(size / 14)}\r\n`,
        method: `${filler} /tasks HTTP/1.1\r\nHost: x\r\n\r\n`,
      }[where]
      const judge = wants(where === 'method' ? 'bad_request' : 'headers_too_large')
      return { bytes: Buffer.from(text), method: 'GET', path: undefined, judge }
    })

/** HTTP/1.0: the response ends with the connection unless the client asks to keep it, and chunks are not of that version. */
export const oldRequest = ({ keys }: Target): fc.Arbitrary<Sent> =>
  fc
    .record({
      keep: fc.boolean(),
      chunked: fc.boolean(),
      host: fc.boolean(),
      kind: fc.constantFrom('GET', 'HEAD', 'POST'),
    })
    .map(({ keep, chunked, host, kind }): Sent => {
      const isPost = kind === 'POST'
      const body = !isPost ? '' : chunked ? '2\r\n{}\r\n0\r\n\r\n' : '{}'
      const headers: [string, string][] = [['Authorization', `Bearer ${keys.full}`]]
      if (host) headers.push(['Host', 'x'])
      if (keep) headers.push(['Connection', 'keep-alive'])
      if (isPost)
        headers.push(
          ['Content-Type', 'application/json'],
          chunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', '2'],
        )
      const isOld = isPost && chunked
      const judge = (response: Parameters<ReturnType<typeof wants>>[0]) => {
        const fault = wants(...(isPost ? ['invalid_jsonrpc_request', 'bad_request'] : [200]))(response)
        if (fault !== undefined) return fault
        const mustClose = isOld || !keep
        return mustClose && response.headers.connection !== 'close' ? 'the connection is not closed' : undefined
      }
      const path = isPost ? '/mcp' : '/tasks'
      return {
        bytes: wire(kind, path, headers, Buffer.from(body), '1.0'),
        method: kind,
        path,
        judge,
      }
    })

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
        '\r\n',
        '\n',
        '\r',
        '\0',
        ' ',
        ':',
        '%',
        '\r\n\r\n',
        'Content-Length: 5\r\n',
        'Transfer-Encoding: chunked\r\n',
        'Expect: 100-continue\r\n',
        'Connection: close\r\n',
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
      return { bytes: isCut ? bytes.subarray(0, end) : bytes, method: '', path: undefined, isCut, tags: ['mutated'] }
    })
}
