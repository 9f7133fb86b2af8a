import { hash } from 'node:crypto'
import type { Admission } from '../database/store.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { withOwnMemory } from '../lib/own-memory.ts'
import type { Resource } from './define.ts'
import type { ResponseCache } from './response-cache.ts'

/** Undefined if the workspace is not available and the resource has no response for that. */
type BodyReader = (
  admission: Admission,
  /** As the tool takes them, and checked; without any, all of it. */
  args?: Arguments,
) => MaybePromise<ServedBody | undefined>

type Arguments = Readonly<Record<string, unknown>>

/** Reads the body of a resource through the cache. */
export function createBodyReader(resource: Resource, cache: ResponseCache): BodyReader {
  const { whenUnavailable } = resource
  // It belongs to no revision, so nothing that is made from it is reused.
  const unavailable = whenUnavailable && new ServedBody(Buffer.from(JSON.stringify(whenUnavailable)), 0)
  return (admission, args = {}) => {
    const question = questionOf(resource, resource.name, args)
    const body = cache.ask(question, admission, async (store, viewpoint) => {
      const reading = await resource.read(store, viewpoint, args)
      return reading && { value: new ServedBody(reading.body, reading.until), until: reading.until }
    })
    return body instanceof Promise ? body.then((read) => read ?? unavailable) : (body ?? unavailable)
  }
}

/** How the cache knows a question: by an object for all of a resource, which costs nothing to find; otherwise by a text. */
export function questionOf(all: object, name: string, args: Arguments): object | string {
  for (const _ in args) return `${name} ${JSON.stringify(args)}`
  return all
}

/** The bytes of a response, and their tag, which is computed when it is first asked for. */
export class ServedBody {
  readonly bytes: Buffer
  /** When it changes by itself. */
  readonly until: number
  #etag: string | undefined

  constructor(bytes: Buffer, until: number) {
    this.bytes = withOwnMemory(bytes)
    this.until = until
  }

  /** Strong, and the same in every process: it depends on the bytes only. */
  get etag(): string {
    this.#etag ??= `"${hash('sha256', this.bytes, 'base64url').slice(0, 27)}"`
    return this.#etag
  }

  /** The bytes of memory that it may come to hold. */
  get weight(): number {
    return this.bytes.length + OBJECTS
  }
}

/** Its objects and the tag, as measured: docs/decisions/0031-kept-answers.md. */
const OBJECTS = 800
