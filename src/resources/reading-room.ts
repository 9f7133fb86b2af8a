import type { Admission, PublicStore } from '../database/store.ts'
import type { Soon } from '../lib/soon.ts'
import type { Resource } from './define.ts'
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
  #young = new Shelves()
  #old = new Shelves()
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
    const kept = this.#young.of(resource).get(workspaceId) ?? this.#rescue(resource, workspaceId)
    if (kept !== undefined && kept.revision === revision && kept.from <= now && now < kept.until) return kept.body
    return this.#readOnce(resource, admission).then((read) => read?.body ?? unavailable(resource))
  }

  /** Of the requests that miss an answer at the same time one reads it, and the others share what it found. */
  async #readOnce(resource: Resource, { workspaceId, revision, now }: Admission): Promise<Kept | undefined> {
    const place = `${resource.name} ${workspaceId}`
    const other = this.#underWay.get(place)
    if (other !== undefined && other.revision === revision && other.from <= now) {
      const kept = await other.kept
      if (kept === undefined || now < kept.until) return kept
    }
    const read = async (): Promise<Kept | undefined> => {
      const reading = await resource.read(this.#store, { workspaceId, now }, {})
      if (reading === undefined) return undefined
      const kept = { revision, from: now, until: reading.until, body: new ServedBody(reading.body) }
      this.#keep(resource, workspaceId, kept)
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

  #rescue(resource: Resource, workspaceId: string): Kept | undefined {
    const kept = this.#old.of(resource).get(workspaceId)
    if (kept !== undefined) this.#keep(resource, workspaceId, kept)
    return kept
  }

  #keep(resource: Resource, workspaceId: string, kept: Kept): void {
    // One that would push out all the others is not worth it.
    if (kept.body.weight > this.#maxBytes / 4) return
    const shelf = this.#young.of(resource)
    this.#youngBytes += kept.body.weight - (shelf.get(workspaceId)?.body.weight ?? 0)
    shelf.set(workspaceId, kept)
    this.#old.of(resource).delete(workspaceId)
    if (this.#youngBytes <= this.#maxBytes / 2) return
    this.#old = this.#young
    this.#young = new Shelves()
    this.#youngBytes = 0
  }
}

/** Answers by resource and workspace; to look twice is quicker than to make one name of both. */
class Shelves {
  readonly #shelves = new Map<Resource, Map<string, Kept>>()

  of(resource: Resource): Map<string, Kept> {
    let shelf = this.#shelves.get(resource)
    if (shelf === undefined) {
      shelf = new Map()
      this.#shelves.set(resource, shelf)
    }
    return shelf
  }
}

function unavailable(resource: Resource): ServedBody | undefined {
  return resource.whenUnavailable && new ServedBody(Buffer.from(JSON.stringify(resource.whenUnavailable)))
}
