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
/** Bounds the search for values that a new one may replace. */
const MAX_REJECTIONS = 8

interface Entry<Value> {
  readonly workspace: WorkspaceEntries<Value>
  readonly key: string
  value: Value | undefined
  weight: number
  /** The count as of `period`. Counts are halved only when they are read. */
  visits: number
  period: number
  segment: Segment<Value> | undefined
}

interface WorkspaceEntries<Value> {
  id: string
  revision: number
  entries: Map<string, Entry<Value>>
}

/** Entries in order of arrival, with a clock hand. */
class Segment<Value> {
  bytes = 0
  readonly entries = new Set<Entry<Value>>()
  /** Reset if unused for a whole round: an idle iterator keeps the set's outgrown tables in memory. */
  #hand: IterableIterator<Entry<Value>> | undefined
  #addsSinceStep = 0

  /** Moves the entry from its segment to this one. */
  add(entry: Entry<Value>, weight = entry.weight): void {
    if (++this.#addsSinceStep > this.entries.size) this.#hand = undefined
    entry.segment?.remove(entry)
    entry.segment = this
    entry.weight = weight
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
 * Caches workspaces' responses within a memory limit. A response is valid for one revision, and evicted when it changes.
 *
 * An entry is in one of three segments:
 *   window   a small FIFO of new values. The oldest is promoted to main, or evicted
 *   main     promoted values, until they are evicted
 *   ghosts   evicted entries, which have only their count of visits, until they are set again or removed
 *
 * Eviction works as in W-TinyLFU, but with exact counts. A value is promoted if there is room, or if its key had at least two
 * more recent visits than each of its victims. The margin of two prevents thrashing: when callers take turns, their counts
 * differ by at most one, so the cached values stay. Requests that hit the window count as one visit, because a request that is
 * repeated at once is not popular.
 */
export class BoundedCache<Value extends { weight: number }> {
  readonly #maxBytes: number
  readonly #workspaces = new Map<string, WorkspaceEntries<Value>>()
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
      if (outdated?.value !== undefined) this.#evict(outdated)
      return
    }
    const entry = this.#entryOf(this.#workspaceOf(workspaceId, revision), key)
    entry.value = value
    this.#countVisit(entry)
    this.#window.add(entry, weight)
    while (this.#window.bytes > this.#maxBytes * WINDOW_SHARE) this.#promoteOrEvict(this.#window.next() as Entry<Value>)
    while (this.#ghosts.bytes > this.#maxBytes * GHOST_SHARE) this.#remove(this.#ghosts.next() as Entry<Value>)
    while (this.bytes.current > this.#maxBytes) this.#evict(this.#main.next() as Entry<Value>)
  }

  #workspaceOf(id: string, revision: number): WorkspaceEntries<Value> {
    let workspace = this.#workspaces.get(id)
    if (workspace === undefined) {
      workspace = { id, revision, entries: new Map() }
      this.#workspaces.set(id, workspace)
    } else if (workspace.revision !== revision) {
      workspace.revision = revision
      for (const entry of workspace.entries.values()) if (entry.value !== undefined) this.#evict(entry)
    }
    return workspace
  }

  #entryOf(workspace: WorkspaceEntries<Value>, key: string): Entry<Value> {
    let entry = workspace.entries.get(key)
    if (entry === undefined) {
      entry = { workspace, key, value: undefined, weight: 0, visits: 0, period: 0, segment: undefined }
      workspace.entries.set(key, entry)
    }
    return entry
  }

  #promoteOrEvict(entry: Entry<Value>): void {
    const visits = this.#visitsOf(entry)
    const victims = new Set<Entry<Value>>()
    let missing = this.#main.bytes + this.#ghosts.bytes + entry.weight - this.#maxBytes * (1 - WINDOW_SHARE)
    for (let rejections = 0; missing > 0 && rejections < MAX_REJECTIONS; ) {
      const victim = this.#main.next()
      if (victim === undefined || victims.has(victim) || this.#visitsOf(victim) + 1 >= visits) rejections++
      else {
        victims.add(victim)
        missing -= victim.weight
      }
    }
    if (missing > 0) this.#evict(entry)
    else {
      for (const victim of victims) this.#evict(victim)
      this.#main.add(entry)
    }
  }

  #evict(entry: Entry<Value>): void {
    entry.value = undefined
    this.#ghosts.add(entry, weightOf(entry.key) + ENTRY_BYTES)
  }

  #remove(entry: Entry<Value>): void {
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
