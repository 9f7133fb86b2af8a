import { type IncomingMessage, ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http'

/** Node's own: writes the head of a response, begun by the status line, and decides what becomes of the connection. */
type StoreHeader = (this: ServerResponse, begun: string, headers: readonly string[]) => void
const { _storeHeader: storeHeader } = ServerResponse.prototype as unknown as { _storeHeader: StoreHeader }

/**
 * A response whose head may begin with header lines that are complete. Node examines every name and value of every response, which
 * is as much work as the rest of the head; lines that hold nothing but constants, numbers and our own ids need it once or never.
 */
export class OutgoingResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** Each ends with CR LF. Whoever sets it vouches for every character. */
  firstLines = ''

  _storeHeader(statusLine: string, headers: readonly string[]): void {
    storeHeader.call(this, statusLine + this.firstLines, headers)
  }
}

/** Header lines of names and values in turn, examined as Node does. For what many responses have in common. */
export function headerLines(headers: readonly string[]): string {
  let lines = ''
  for (let i = 0; i < headers.length; i += 2) {
    const [name = '', value = ''] = headers.slice(i, i + 2)
    validateHeaderName(name)
    validateHeaderValue(name, value)
    lines += `${name}: ${value}\r\n`
  }
  return lines
}
