const PING = '{"jsonrpc":"2.0","id":2,"method":"ping"}'
const CHUNKED_PING = `28\r\n${PING}\r\n0\r\n\r\n`

/** Requests whose framing or head no parser may accept, by their fault: each is a 400, and what follows it is not read. */
export function refusedRequests(key: string): Record<string, string> {
  const post = `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
  const get = `GET /workspace HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`
  const chunks = `${post}Transfer-Encoding: chunked\r\n\r\n`
  return {
    'a length and chunks': `${post}Content-Length: 40\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKED_PING}`,
    'two lengths': `${post}Content-Length: 40\r\nContent-Length: 41\r\n\r\n${PING}`,
    'a length with a sign': `${post}Content-Length: +40\r\n\r\n${PING}`,
    'a negative length': `${post}Content-Length: -5\r\n\r\n`,
    'a length that no number holds': `${post}Content-Length: 99999999999999999999\r\n\r\n${PING}`,
    'a transfer coding that is not chunked': `${post}Transfer-Encoding: identity\r\n\r\n${PING}`,
    'a transfer coding that does not end in chunks': `${post}Transfer-Encoding: gzip\r\n\r\n${PING}`,
    'chunked before another coding': `${post}Transfer-Encoding: chunked, identity\r\n\r\n${CHUNKED_PING}`,
    'chunks whose lines end with a line feed': `${chunks}${CHUNKED_PING.replaceAll('\r', '')}`,
    'a chunk of a letter': `${chunks}G\r\n`,
    'a chunk with bytes behind it': `${chunks}2\r\n{}x\r\n0\r\n\r\n`,
    'a chunk of a length that no number holds': `${chunks}fffffffffffffffff\r\n`,
    'a folded header': `${post}X-A: b\r\n c\r\nContent-Length: 40\r\n\r\n${PING}`,
    'a space before a colon': `${post}X-A : b\r\nContent-Length: 40\r\n\r\n${PING}`,
    'a carriage return within a header': `${post}X-A: b\rX-B: c\r\nContent-Length: 40\r\n\r\n${PING}`,
    'a NUL in a header': `${get}X: a\0b\r\n\r\n`,
    'a space in the name of a header': `${get}Bad Name: 1\r\n\r\n`,
    'a broken request line': 'GARBAGE\r\n\r\n',
    'an unknown method': 'FOO /workspace HTTP/1.1\r\nHost: x\r\n\r\n',
    'the greeting of TLS': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'a target that is not a path': 'GET workspace HTTP/1.1\r\nHost: x\r\n\r\n',
    'bare line feeds': 'GET /workspace HTTP/1.1\nHost: x\n\n',
  }
}

/** Lines of a Host header that does not name one host, by their fault: each request with one is a 400. */
export const refusedHosts: Record<string, string> = {
  none: '',
  'an empty one': 'Host:\r\n',
  'two different': 'Host: a.example\r\nHost: b.example\r\n',
  'a list': 'Host: a.example, b.example\r\n',
  'a space': 'Host: a b\r\n',
  'a URL': 'Host: http://a.example\r\n',
  'a backslash': 'Host: a\\b\r\n',
  'a user': 'Host: user@a.example\r\n',
  'a port too high': 'Host: a.example:65536\r\n',
  'half a bracket': 'Host: [::1\r\n',
  'an IPv6 address without brackets': 'Host: 2001:db8::1\r\n',
  'characters beyond ASCII': 'Host: caf\u00e9.example\r\n',
  markup: 'Host: <script>\r\n',
}
