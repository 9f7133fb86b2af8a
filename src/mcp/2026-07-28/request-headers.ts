import { isUtf8 } from 'node:buffer'
import type { PublicRequest } from '../../operation.ts'
import type { RpcRequest } from '../json-rpc.ts'
import { ProtocolError } from './errors.ts'

/**
 * Refuses a request whose headers do not say what its body says: whatever routes by the headers, and whoever answers by the body,
 * must not differ. Several headers of one name arrive joined by commas, and so match nothing.
 */
export function checkHeaders(request: PublicRequest, { method, params }: RpcRequest, version: string): void {
  const versionHeader = request.header('mcp-protocol-version')
  if (versionHeader !== version) throw mismatch('MCP-Protocol-Version', versionHeader, 'the version in params._meta')
  const methodHeader = request.header('mcp-method')
  if (methodHeader !== method) throw mismatch('Mcp-Method', methodHeader, '"method"')
  if (method !== 'tools/call' || typeof params?.name !== 'string') return
  const nameHeader = request.header('mcp-name')
  if (nameHeader === undefined || nameOf(nameHeader) !== params.name)
    throw mismatch('Mcp-Name', nameHeader, 'params.name')
}

const mismatch = (name: string, header: string | undefined, source: string) =>
  new ProtocolError(
    'header_mismatch',
    header === undefined
      ? `The header ${name} is missing; it must be the same as ${source}.`
      : `The header ${name} is not the same as ${source}, or is malformed.`,
  )

const SENTINEL_START = '=?base64?'
const SENTINEL_END = '?='

/** What the header Mcp-Name says; undefined if it is malformed. */
function nameOf(header: string): string | undefined {
  if (!header.startsWith(SENTINEL_START) || !header.endsWith(SENTINEL_END)) return isPlain(header) ? header : undefined
  // In =?base64?= the markers overlap.
  if (header.length < SENTINEL_START.length + SENTINEL_END.length) return undefined
  const encoded = header.slice(SENTINEL_START.length, -SENTINEL_END.length)
  const bytes = Buffer.from(encoded, 'base64')
  // Node skips what is not base64; only what was written as an encoder writes it comes back the same.
  return bytes.toString('base64') === encoded && isUtf8(bytes) ? bytes.toString() : undefined
}

/** RFC 9110, 5.5, without what is obsolete there: visible ASCII, spaces and tabs. */
function isPlain(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if ((code < 0x20 && code !== 0x09) || code > 0x7e) return false
  }
  return true
}
