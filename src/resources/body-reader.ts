import type { Admission } from '../database/store.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Resource } from './define.ts'
import { argumentNormaliser } from './normalised-arguments.ts'
import type { ReadOnMiss, ResponseCache, Weighed } from './response-cache.ts'
import { ServedBody } from './served-body.ts'

/** Undefined if the workspace is not available and the resource has no response for that. */
export type BodyReader<Body = ServedBody> = (
  admission: Admission,
  /** As the tool takes them, and checked; without any, all of it. */
  args?: Record<string, unknown>,
) => MaybePromise<Body | undefined>

/** Reads the body of a resource through the cache. */
export function createBodyReader(resource: Resource, cache: ResponseCache): BodyReader {
  return createReader(resource, cache, {
    question: resource,
    name: resource.name,
    unavailable: bodyWhenUnavailable(resource),
    read: (_, args) => async (store, viewpoint) => {
      const reading = await resource.read(store, viewpoint, args)
      return reading && { value: new ServedBody(reading.body, reading.until), until: reading.until }
    },
  })
}

/** Reads a body in another form, such as within the result of a tool; its name is unique. Each form is a response of its own. */
export function createFormReader<Form extends Weighed>(
  resource: Resource,
  cache: ResponseCache,
  form: { name: string; of(body: ServedBody): Form },
): BodyReader<Form> {
  const readBody = createBodyReader(resource, cache)
  const unavailable = bodyWhenUnavailable(resource)
  return createReader(resource, cache, {
    question: { form, resource },
    name: `${form.name} ${resource.name}`,
    unavailable: unavailable && form.of(unavailable),
    read: (admission, args) => async () => {
      const body = await readBody(admission, args)
      return body && { value: form.of(body), until: body.until }
    },
  })
}

/** It belongs to no revision, so no form of it is reused. */
const bodyWhenUnavailable = ({ whenUnavailable }: Resource): ServedBody | undefined =>
  whenUnavailable && new ServedBody(Buffer.from(JSON.stringify(whenUnavailable)), 0)

interface Reads<Body extends Weighed> {
  /** For all of the resource. */
  question: object
  /** With the arguments, any other question. */
  name: string
  unavailable: Body | undefined
  read(admission: Admission, args: Record<string, unknown>): ReadOnMiss<Body>
}

function createReader<Body extends Weighed>(
  resource: Resource,
  cache: ResponseCache,
  { question, name, unavailable, read }: Reads<Body>,
): BodyReader<Body> {
  const normalise = argumentNormaliser(resource)
  return (admission, args) => {
    const narrowed = args && normalise(args)
    const body = cache.ask(
      narrowed === undefined ? question : `${name} ${JSON.stringify(narrowed)}`,
      admission,
      read(admission, narrowed ?? {}),
    )
    return body instanceof Promise ? body.then((found) => found ?? unavailable) : (body ?? unavailable)
  }
}
