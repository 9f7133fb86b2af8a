import type { IncomingMessage, ServerResponse } from 'node:http'
import type { MaybePromise } from '../lib/maybe-promise.ts'

/** The client went away before its request was whole: there is nobody to answer. */
export class ClientGone extends Error {
  override name = 'ClientGone'
}

const NOTHING = Buffer.alloc(0)

/** Node's server does not even open the body of a request that announces none: see `optimizeEmptyRequests`. */
export const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** Whether all of the body lies ready. The parser tells `complete` a moment after the last byte. */
export const isWhole = (req: IncomingMessage): boolean =>
  req.complete || !announcesBody(req) || req.readableLength === Number(req.headers['content-length'])

/**
 * Reads a body up to a limit. What is left over is drained by the server, within the time a request may take. Most often
 * the whole body came with the head: to take it as it lies there costs a fraction of a stream's events.
 */
export function readBody(
  req: IncomingMessage,
  res: ServerResponse,
  maxBytes: number,
  tooLarge: () => Error,
): MaybePromise<Buffer> {
  if (!announcesBody(req)) return NOTHING
  const announced = Number(req.headers['content-length'])
  if (announced > maxBytes) throw tooLarge()
  if (req.destroyed) throw new ClientGone('the client left before its body was read')
  if (req.httpVersion === '1.1' && req.headers.expect?.toLowerCase() === '100-continue') res.writeContinue()
  const begun = (req.read() as Buffer | null) ?? NOTHING
  if (begun.length > maxBytes) throw tooLarge()
  return begun.length === announced ? begun : readOn(req, begun, maxBytes, tooLarge)
}

function readOn(req: IncomingMessage, begun: Buffer, maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks = [begun]
    let length = begun.length
    const settle = (outcome: () => void) => {
      req.off('data', onData).off('end', onEnd).off('close', onClose)
      outcome()
    }
    const onData = (chunk: Buffer) => {
      length += chunk.length
      if (length > maxBytes) settle(() => reject(tooLarge()))
      else chunks.push(chunk)
    }
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks)))
    const onClose = () => settle(() => reject(new ClientGone('the request ended early')))
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}
