import type { Admission, PublicStore } from '../database/store.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Resource } from './define.ts'
import { ServedBody } from './served-body.ts'

interface CachedResponse {
  revision: number
  from: number
  until: number
  body: ServedBody
}

/** The responses of one workspace. */
interface CachedWorkspace {
  responses: Map<Resource, CachedResponse>
  /** Since it was last considered for eviction. */
  wasUsed: boolean
}

/**
 * Reads resources, and keeps each response for as long as it is true: until the workspace's revision moves or the next
 * snooze ends. There is no time-to-live, so nothing is ever served stale. Memory is bounded; what goes first is decided by
 * second chance (CLOCK), because a hit then only sets a flag, where an LRU would move an entry on every request.
 */
export class ResponseCache {
  readonly #store: PublicStore
  readonly #maxBytes: number
  /** In the order in which they are considered for eviction. */
  readonly #workspaces = new Map<string, CachedWorkspace>()
  #bytes = 0
  readonly #underWay = new Map<
    string,
    { revision: number; from: number; response: Promise<CachedResponse | undefined> }
  >()

  constructor(store: PublicStore, maxBytes: number) {
    this.#store = store
    this.#maxBytes = maxBytes
  }

  /** Undefined if the workspace is not available and the resource has no answer for that. */
  read(resource: Resource, admission: Admission): MaybePromise<ServedBody | undefined> {
    const { workspaceId, revision, now } = admission
    if (!admission.available) return unavailable(resource)
    const cached = this.#find(resource, workspaceId)
    if (cached !== undefined && cached.revision === revision && cached.from <= now && now < cached.until)
      return cached.body
    return this.#readOnce(resource, admission).then((read) => read?.body ?? unavailable(resource))
  }

  /** Of the requests that miss a response at the same time one reads it, and the others share what it found. */
  async #readOnce(resource: Resource, { workspaceId, revision, now }: Admission): Promise<CachedResponse | undefined> {
    const place = `${resource.name} ${workspaceId}`
    const other = this.#underWay.get(place)
    if (other !== undefined && other.revision === revision && other.from <= now) {
      const response = await other.response
      if (response === undefined || now < response.until) return response
    }
    const read = async (): Promise<CachedResponse | undefined> => {
      const reading = await resource.read(this.#store, { workspaceId, now }, {})
      if (reading === undefined) return undefined
      const response = { revision, from: now, until: reading.until, body: new ServedBody(reading.body) }
      this.#keep(resource, workspaceId, response)
      return response
    }
    const mine = { revision, from: now, response: read() }
    this.#underWay.set(place, mine)
    try {
      return await mine.response
    } finally {
      if (this.#underWay.get(place) === mine) this.#underWay.delete(place)
    }
  }

  /** With arguments there are too many responses to keep. */
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

  #find(resource: Resource, workspaceId: string): CachedResponse | undefined {
    const workspace = this.#workspaces.get(workspaceId)
    if (workspace === undefined) return undefined
    workspace.wasUsed = true
    return workspace.responses.get(resource)
  }

  #keep(resource: Resource, workspaceId: string, response: CachedResponse): void {
    // One that would push out all the others is not worth it.
    if (response.body.weight > this.#maxBytes / 4) return
    // Not used until it is asked for again: many new workspaces do not push out the one that is asked for often.
    const workspace = this.#workspaces.get(workspaceId) ?? { responses: new Map(), wasUsed: false }
    this.#bytes += response.body.weight - (workspace.responses.get(resource)?.body.weight ?? 0)
    workspace.responses.set(resource, response)
    this.#workspaces.set(workspaceId, workspace)
    this.#evict()
  }

  #evict(): void {
    for (const [id, workspace] of this.#workspaces) {
      if (this.#bytes <= this.#maxBytes) return
      this.#workspaces.delete(id)
      if (workspace.wasUsed) {
        // To the end of the map, where this loop meets it again if that is not enough.
        workspace.wasUsed = false
        this.#workspaces.set(id, workspace)
      } else for (const { body } of workspace.responses.values()) this.#bytes -= body.weight
    }
  }
}

function unavailable(resource: Resource): ServedBody | undefined {
  return resource.whenUnavailable && new ServedBody(Buffer.from(JSON.stringify(resource.whenUnavailable)))
}
