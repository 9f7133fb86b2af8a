import type { Admission, PublicStore } from '../database/store.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Resource } from './define.ts'
import { argumentNormaliser } from './normalised-arguments.ts'
import type { ReadOnMiss, ResponseCache } from './response-cache.ts'
import { ServedBody } from './served-body.ts'

/** Undefined if the workspace is not available and the resource has no answer for that. */
export type BodyReader = (
  admission: Admission,
  /** As the tool takes them, and checked; without any, all of it. */
  args?: Record<string, unknown>,
) => MaybePromise<ServedBody | undefined>

/** Reads the body of a resource through the cache: REST and the tool share one for the same question. */
export function createBodyReader(resource: Resource, cache: ResponseCache): BodyReader {
  const { name, whenUnavailable } = resource
  const normalise = argumentNormaliser(resource)
  const unavailable = whenUnavailable && new ServedBody(Buffer.from(JSON.stringify(whenUnavailable)))
  const readWith =
    (args: Record<string, unknown>): ReadOnMiss<ServedBody> =>
    async (store: PublicStore, viewpoint) => {
      const reading = await resource.read(store, viewpoint, args)
      return reading && { answer: new ServedBody(reading.body), until: reading.until }
    }
  const readWhole = readWith({})

  return (admission, args) => {
    const narrowed = args && normalise(args)
    const body =
      narrowed === undefined
        ? cache.ask(resource, admission, readWhole)
        : cache.ask(`${name} ${JSON.stringify(narrowed)}`, admission, readWith(narrowed))
    return body instanceof Promise ? body.then((read) => read ?? unavailable) : (body ?? unavailable)
  }
}
