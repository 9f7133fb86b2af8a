import { GrowingBuffer } from '../lib/growing-buffer.ts'
import type { IncomingRequest, OutgoingResponse } from './node-internals.ts'

export class ClientGone extends Error {
  override name = 'ClientGone'
}

const EMPTY = Buffer.alloc(0)

/** Node discards further bytes, until the request timeout. */
export function receiveBody(req: IncomingRequest, res: OutgoingResponse, maxBytes: number, tooLarge: () => Error) {
  if (!req.hasBody) return EMPTY
  const { hasArrived, received = new GrowingBuffer() } = req
  // The stream of a body that has arrived is already closed. Otherwise it closes with the connection.
  if (hasArrived ? req.socket.destroyed : req.destroyed)
    throw new ClientGone('the client disconnected before the body was read')
  if (Number(req.headers['content-length']) > maxBytes || received.length > maxBytes) throw tooLarge()
  if (req.httpVersion === '1.1' && req.headers.expect?.toLowerCase() === '100-continue') res.writeContinue()
  return hasArrived ? received.bytes : readRest(req, received, maxBytes, tooLarge)
}

function readRest(req: IncomingRequest, body: GrowingBuffer, maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const settle = (then: () => void) => {
      req.off('data', onData).off('end', onEnd).off('close', onClose)
      then()
    }
    const onData = (chunk: Buffer) => {
      if (body.length + chunk.length > maxBytes) settle(() => reject(tooLarge()))
      else body.add(chunk, maxBytes)
    }
    const onEnd = () => settle(() => resolve(body.bytes))
    const onClose = () => settle(() => reject(new ClientGone('the request ended early')))
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}
