import type { IncomingRequest, OutgoingResponse } from './node-internals.ts'

export class ClientGone extends Error {
  override name = 'ClientGone'
}

const EMPTY = Buffer.alloc(0)

/** Node discards further bytes, until the request timeout. */
export function receiveBody(req: IncomingRequest, res: OutgoingResponse, maxBytes: number, tooLarge: () => Error) {
  if (!req.hasBody) return EMPTY
  const { wholeBody } = req
  const contentLength = Number(req.headers['content-length'])
  if (contentLength > maxBytes) throw tooLarge()
  // The stream is already closed if the body arrived whole. Otherwise it closes with the connection.
  if (wholeBody === undefined ? req.destroyed : req.socket.destroyed)
    throw new ClientGone('the client disconnected before the body was read')
  if (req.httpVersion === '1.1' && req.headers.expect?.toLowerCase() === '100-continue') res.writeContinue()
  if (wholeBody !== undefined) return wholeBody
  const received = (req.read() as Buffer | null) ?? EMPTY
  if (received.length > maxBytes) throw tooLarge()
  return received.length === contentLength ? received : readRest(req, received, maxBytes, tooLarge)
}

function readRest(req: IncomingRequest, received: Buffer, maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let body = received
    let length = received.length
    const settle = (then: () => void) => {
      req.off('data', onData).off('end', onEnd).off('close', onClose)
      then()
    }
    const onData = (chunk: Buffer) => {
      const end = length + chunk.length
      if (end > maxBytes) return settle(() => reject(tooLarge()))
      // Copied: a client may send every byte as a chunk, and each would take half a kilobyte.
      if (end > body.length) body = Buffer.concat([body], Math.min(2 * end, maxBytes))
      length += chunk.copy(body, length)
    }
    const onEnd = () => settle(() => resolve(body.subarray(0, length)))
    const onClose = () => settle(() => reject(new ClientGone('the request ended early')))
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}
