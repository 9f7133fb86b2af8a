import type { Answer, BodyPart } from '../operation.ts'
import type { Exchange } from './exchange.ts'

/** Up to here a part of a body is copied: that is cheaper than to write it on its own. */
const SMALL_BYTES = 8192

/** Writes the answer of an exchange. Its head begins with `firstLines`, which are complete header lines. */
export function send({ res, ownHeaders }: Exchange, { status, headers, body }: Answer, firstLines: string): void {
  if (res.destroyed) return
  const all: string[] = []
  addAll(all, ownHeaders)
  addAll(all, headers)
  if (status !== 204 && status !== 304) all.push('Content-Length', String(lengthOf(body)))
  res.firstLines = firstLines
  res.writeHead(status, all)
  const chunks = toChunks(body)
  const last = chunks.length - 1
  if (last > 0) res.cork()
  for (let i = 0; i < last; i++) res.write(chunks[i], 'latin1')
  res.end(chunks[last], 'latin1')
}

/** A loop, which takes a quarter of the time of concat or a spread. */
function addAll(headers: string[], more: readonly string[]): void {
  for (const text of more) headers.push(text)
}

/** Small neighbours become one text: Node sends a string, unlike a Buffer, in one write with the head. */
function toChunks(body: readonly BodyPart[]): BodyPart[] {
  const chunks: BodyPart[] = []
  let text = ''
  for (const part of body) {
    if (typeof part === 'string') text += part
    else if (part.length <= SMALL_BYTES) text += part.toString('latin1')
    else {
      if (text !== '') chunks.push(text)
      chunks.push(part)
      text = ''
    }
  }
  if (text !== '') chunks.push(text)
  return chunks
}

/** Whether a part is sent without a copy. */
export const isUncopied = (part: BodyPart): part is Buffer => typeof part !== 'string' && part.length > SMALL_BYTES

/** In bytes, one of which is each character of a text. */
export function lengthOf(body: readonly BodyPart[]): number {
  let length = 0
  for (const part of body) length += part.length
  return length
}
