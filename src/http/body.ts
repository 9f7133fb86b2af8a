import type { IncomingMessage, ServerResponse } from 'node:http'

/** The client went away before its request was whole: there is nobody to answer. */
export class ClientGone extends Error {
  override name = 'ClientGone'
}

/** Reads a body up to a limit. What is left over is drained by the server, within the time a request may take. */
export function readBody(
  req: IncomingMessage,
  res: ServerResponse,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Buffer> {
  if (Number(req.headers['content-length']) > maxBytes) return Promise.reject(tooLarge())
  if (req.destroyed) return Promise.reject(new ClientGone('the client left before its body was read'))
  if (req.httpVersion === '1.1' && req.headers.expect?.toLowerCase() === '100-continue') res.writeContinue()
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const settle = (outcome: () => void) => {
      req.off('data', onData).off('end', onEnd).off('close', onClose)
      outcome()
    }
    const onData = (chunk: Buffer) => {
      length += chunk.length
      if (length > maxBytes) settle(() => reject(tooLarge()))
      else chunks.push(chunk)
    }
    const onEnd = () => settle(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    const onClose = () => settle(() => reject(new ClientGone('the request ended early')))
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}
