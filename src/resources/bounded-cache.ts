import type { Occupancy } from '../lib/fair-share.ts'

/** The overhead per key, besides the value: the entry, its slots in a map and a set, and the string's header. */
const ENTRY_BYTES = 400

/** V8 stores two bytes per character in strings that are not Latin-1. */
const weightOf = (key: string): number => key.length * 2

/** The shares of memory for the window and for the ghosts. */
const WINDOW_SHARE = 1 / 32
const GHOST_SHARE = 1 / 16
/** The largest share that one value may take. */
const RESPONSE_SHARE = 1 / 4

/** Capped, so that a value that was once popular does not stay forever. */
const MAX_VISITS = 15
/** Counts are halved after this many requests per value, so that newly popular values win within a few rounds. */
const PERIOD_ROUNDS = 3
/** After this many periods without a visit, any other value may replace it. */
const IDLE_PERIODS = 8
/** Bounds the search for a value to evict before a new one is rejected. */
const MAX_LOOKS = 8

interface Entry<Value> {
  readonly workspace: Workspace<Value>
  readonly key: string
  value: Value | undefined
  weight: number
  /** The count as of `period`. Counts are halved only when they are read. */
  visits: number
  period: number
  segment: Segment<Value> | undefined
}

interface Workspace<Value> {
  id: string
  revision: number
  entries: Map<string, Entry<Value>>
}

/** Entries in order of arrival, with a clock hand. */
class Segment<Value> {
  bytes = 0
  readonly entries = new Set<Entry<Value>>()
  /** Dropped after a round without a step: an iterator holds every table that the set has outgrown since its last step. */
  #hand: IterableIterator<Entry<Value>> | undefined
  #addsSinceStep = 0

  add(entry: Entry<Value>): void {
    if (++this.#addsSinceStep > this.entries.size) this.#hand = undefined
    entry.segment?.remove(entry)
    entry.segment = this
    this.entries.add(entry)
    this.bytes += entry.weight
  }

  remove(entry: Entry<Value>): void {
    this.entries.delete(entry)
    this.bytes -= entry.weight
  }

  /** Returns the next entry, which is the oldest if the caller removes each one. */
  next(): Entry<Value> | undefined {
    this.#addsSinceStep = 0
    const step = this.#hand?.next()
    if (step !== undefined && !step.done) return step.value
    this.#hand = this.entries.values()
    return this.#hand.next().value
  }
}

/**
 * Caches workspaces' responses within a memory limit. A response is valid for one revision, and dropped when it changes.
 *
 * Eviction works as in W-TinyLFU, but with exact counts. A new value enters a small FIFO window. When it leaves the window, it
 * is kept if there is room, or if its key had at least two more recent visits than each value that it replaces. The margin of
 * two prevents thrashing: when callers take turns, their counts differ by at most one, so the cached values stay. An evicted
 * value leaves a ghost: an entry without a value that keeps its count. Requests that hit the window count as one visit, because
 * a request that is repeated at once is not popular.
 */
export class BoundedCache<Value extends { weight: number }> {
  readonly #maxBytes: number
  readonly #workspaces = new Map<string, Workspace<Value>>()
  readonly #window = new Segment<Value>()
  readonly #main = new Segment<Value>()
  readonly #ghosts = new Segment<Value>()
  #period = 0
  #requests = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): Occupancy {
    return { current: this.#window.bytes + this.#main.bytes + this.#ghosts.bytes, limit: this.#maxBytes }
  }

  /** Every request calls this, so it does only two lookups and builds no strings. */
  find(workspaceId: string, revision: number, key: string): Value | undefined {
    if (++this.#requests > PERIOD_ROUNDS * this.#main.entries.size) {
      this.#period++
      this.#requests = 0
    }
    const workspace = this.#workspaces.get(workspaceId)
    if (workspace === undefined || workspace.revision !== revision) return undefined
    const entry = workspace.entries.get(key)
    if (entry?.value !== undefined && entry.segment === this.#main) this.#countVisit(entry)
    return entry?.value
  }

  set(workspaceId: string, revision: number, key: string, value: Value): void {
    const weight = value.weight + weightOf(key) + ENTRY_BYTES
    if (weight > this.#maxBytes * RESPONSE_SHARE) {
      const outdated = this.#workspaces.get(workspaceId)?.entries.get(key)
      if (outdated?.value !== undefined) this.#drop(outdated)
      return
    }
    const entry = this.#entryOf(this.#workspaceOf(workspaceId, revision), key)
    entry.segment?.remove(entry)
    entry.segment = undefined
    entry.value = value
    entry.weight = weight
    this.#countVisit(entry)
    this.#window.add(entry)
    while (this.#window.bytes > this.#maxBytes * WINDOW_SHARE) this.#keepOrDrop(this.#window.next() as Entry<Value>)
    while (this.#ghosts.bytes > this.#maxBytes * GHOST_SHARE) this.#forget(this.#ghosts.next() as Entry<Value>)
    while (this.bytes.current > this.#maxBytes) this.#drop(this.#main.next() as Entry<Value>)
  }

  #workspaceOf(id: string, revision: number): Workspace<Value> {
    let workspace = this.#workspaces.get(id)
    if (workspace === undefined) {
      workspace = { id, revision, entries: new Map() }
      this.#workspaces.set(id, workspace)
    } else if (workspace.revision !== revision) {
      workspace.revision = revision
      for (const entry of workspace.entries.values()) if (entry.value !== undefined) this.#drop(entry)
    }
    return workspace
  }

  #entryOf(workspace: Workspace<Value>, key: string): Entry<Value> {
    let entry = workspace.entries.get(key)
    if (entry === undefined) {
      entry = { workspace, key, value: undefined, weight: 0, visits: 0, period: 0, segment: undefined }
      workspace.entries.set(key, entry)
    }
    return entry
  }

  /** Keeps a value that leaves the window if it can replace others with fewer visits, or drops it. */
  #keepOrDrop(entry: Entry<Value>): void {
    const visits = this.#visitsOf(entry)
    const rivals = new Set<Entry<Value>>()
    let missing = this.#main.bytes + this.#ghosts.bytes + entry.weight - this.#maxBytes * (1 - WINDOW_SHARE)
    for (let looks = 0; missing > 0 && looks < MAX_LOOKS; ) {
      const rival = this.#main.next()
      if (rival === undefined || rivals.has(rival) || this.#visitsOf(rival) + 1 >= visits) looks++
      else {
        rivals.add(rival)
        missing -= rival.weight
      }
    }
    if (missing > 0) this.#drop(entry)
    else {
      for (const rival of rivals) this.#drop(rival)
      this.#main.add(entry)
    }
  }

  #drop(entry: Entry<Value>): void {
    entry.segment?.remove(entry)
    entry.segment = undefined
    entry.value = undefined
    entry.weight = weightOf(entry.key) + ENTRY_BYTES
    this.#ghosts.add(entry)
  }

  #forget(entry: Entry<Value>): void {
    const { workspace, key } = entry
    entry.segment?.remove(entry)
    workspace.entries.delete(key)
    if (workspace.entries.size === 0) this.#workspaces.delete(workspace.id)
  }

  #countVisit(entry: Entry<Value>): void {
    const visits = this.#visitsOf(entry)
    entry.visits = Math.min(Math.max(visits, 0) + 1, MAX_VISITS)
    entry.period = this.#period
  }

  #visitsOf({ visits, period }: Entry<Value>): number {
    const age = this.#period - period
    return age >= IDLE_PERIODS ? -1 : visits >> age
  }
}
