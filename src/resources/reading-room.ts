import type { Soon } from '../soon.ts'
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
 * snooze ends. There is no time-to-live, so nothing is ever served stale.
 *
 * Memory is bounded. Answers are kept in two generations: when the young one has grown to half the bound it becomes the
 * old one, and what was not asked for since goes. So a hit costs one look into a map.
 */
export class ReadingRoom {
  readonly #store: PublicStore
  readonly #maxBytes: number
  #young = new Map<string, Kept>()
  #old = new Map<string, Kept>()
  #youngBytes = 0
  readonly #underWay = new Map<string, { revision: number; from: number; kept: Promise<Kept | undefined> }>()

  constructor(store: PublicStore, maxBytes: number) {
    this.#store = store
    this.#maxBytes = maxBytes
  }

  /** Undefined if the workspace is not available and the resource has no answer for that. */
  read(resource: Resource, admission: Admission): Soon<ServedBody | undefined> {
    const { workspaceId, revision, now } = admission
    if (!admission.available) return unavailable(resource)
    const place = resource.name + workspaceId
    const kept = this.#young.get(place) ?? this.#rescue(place)
    if (kept !== undefined && kept.revision === revision && kept.from <= now && now < kept.until) return kept.body
    return this.#readOnce(place, resource, admission).then((read) => read?.body ?? unavailable(resource))
  }

  /** Of the requests that miss an answer at the same time one reads it, and the others share what it found. */
  async #readOnce(
    place: string,
    resource: Resource,
    { workspaceId, revision, now }: Admission,
  ): Promise<Kept | undefined> {
    const other = this.#underWay.get(place)
    if (other !== undefined && other.revision === revision && other.from <= now) {
      const kept = await other.kept
      if (kept === undefined || now < kept.until) return kept
    }
    const read = async (): Promise<Kept | undefined> => {
      const reading = await resource.read(this.#store, { workspaceId, now }, {})
      if (reading === undefined) return undefined
      const kept = { revision, from: now, until: reading.until, body: new ServedBody(reading.body) }
      this.#keep(place, kept)
      return kept
    }
    const mine = { revision, from: now, kept: read() }
    this.#underWay.set(place, mine)
    try {
      return await mine.kept
    } finally {
      if (this.#underWay.get(place) === mine) this.#underWay.delete(place)
    }
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

  #rescue(place: string): Kept | undefined {
    const kept = this.#old.get(place)
    if (kept !== undefined) this.#keep(place, kept)
    return kept
  }

  #keep(place: string, kept: Kept): void {
    // One that would push out all the others is not worth it.
    if (kept.body.weight > this.#maxBytes / 4) return
    this.#youngBytes += kept.body.weight - (this.#young.get(place)?.body.weight ?? 0)
    this.#young.set(place, kept)
    this.#old.delete(place)
    if (this.#youngBytes <= this.#maxBytes / 2) return
    this.#old = this.#young
    this.#young = new Map()
    this.#youngBytes = 0
  }
}

function unavailable(resource: Resource): ServedBody | undefined {
  return resource.whenUnavailable && new ServedBody(Buffer.from(JSON.stringify(resource.whenUnavailable)))
}
