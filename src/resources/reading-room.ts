import type { Admission, PublicStore } from '../storage/store.ts'
import type { Resource } from './resource.ts'
import { ServedBody } from './served-body.ts'

interface Kept {
  revision: number
  from: number
  until: number
  body: ServedBody
}

/**
 * Reads resources, and keeps each answer for as long as it is true: until the workspace's revision moves or the next
 * snooze ends. There is no time-to-live, so nothing is ever served stale. Memory is bounded: what was asked for least
 * recently goes first.
 */
export class ReadingRoom {
  readonly #store: PublicStore
  readonly #maxBytes: number
  readonly #kept = new Map<string, Kept>()
  #bytes = 0

  constructor(store: PublicStore, maxBytes: number) {
    this.#store = store
    this.#maxBytes = maxBytes
  }

  /** Undefined if the workspace is not available and the resource has no answer for that. */
  async read(resource: Resource, admission: Admission): Promise<ServedBody | undefined> {
    const { workspaceId, revision, now } = admission
    if (!admission.available) return unavailable(resource)
    const place = `${resource.name} ${workspaceId}`
    const kept = this.#kept.get(place)
    if (kept !== undefined) {
      this.#kept.delete(place)
      if (kept.revision === revision && kept.from <= now && now < kept.until) {
        this.#kept.set(place, kept)
        return kept.body
      }
      this.#bytes -= kept.body.weight
    }
    const reading = await resource.read(this.#store, { workspaceId, now }, {})
    if (reading === undefined) return unavailable(resource)
    const body = new ServedBody(reading.body)
    this.#keep(place, { revision, from: now, until: reading.until, body })
    return body
  }

  /** With arguments there are too many answers to keep. */
  async readWith(
    resource: Resource,
    args: Record<string, unknown>,
    admission: Admission,
  ): Promise<ServedBody | undefined> {
    const { workspaceId, now } = admission
    if (!admission.available) return unavailable(resource)
    const reading = await resource.read(this.#store, { workspaceId, now }, args)
    return reading === undefined ? unavailable(resource) : new ServedBody(reading.body)
  }

  #keep(place: string, kept: Kept): void {
    const rival = this.#kept.get(place)
    if (rival !== undefined) {
      this.#kept.delete(place)
      this.#bytes -= rival.body.weight
    }
    this.#kept.set(place, kept)
    this.#bytes += kept.body.weight
    for (const [oldest, { body }] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) break
      this.#kept.delete(oldest)
      this.#bytes -= body.weight
    }
  }
}

function unavailable(resource: Resource): ServedBody | undefined {
  return resource.whenUnavailable && new ServedBody(Buffer.from(JSON.stringify(resource.whenUnavailable)))
}
