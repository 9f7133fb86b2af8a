import type { Occupancy } from '../lib/fair-share.ts'

/** Per question, beside its value: the entry, its places in a map and a set, and the text's header. */
const ENTRY_BYTES = 400

/** V8 takes two bytes for each character of a text that is not Latin-1. */
const weightOf = (question: string): number => question.length * 2

/** The window's share of the memory, and the ghosts' share. */
const WINDOW_SHARE = 1 / 32
const GHOST_SHARE = 1 / 16
/** The largest share of one value. */
const RESPONSE_SHARE = 1 / 4

/** Capped, so that a value that was popular once does not stay for ever. */
const MAX_VISITS = 15
/** Counts are halved after this many requests per value, so that new favourites win within a few rounds. */
const PERIOD_ROUNDS = 3
/** After this many periods without a visit, a value gives way to any other. */
const IDLE_PERIODS = 8
/** Bounds the search for a value that may give way before a new one is turned down. */
const MAX_LOOKS = 8

class Entry<Value> {
  readonly workspace: Workspace<Value>
  readonly question: string
  value: Value | undefined
  weight = 0
  /** As of `period`: counts are halved only when they are needed. */
  visits = 0
  period = 0
  segment: Segment<Value> | undefined

  constructor(workspace: Workspace<Value>, question: string) {
    this.workspace = workspace
    this.question = question
  }
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
  /** Dropped after a still round: an iterator holds every table that the set has outgrown since its last step. */
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

  /** Returns the oldest, as long as the caller removes what it gets. */
  next(): Entry<Value> | undefined {
    this.#addsSinceStep = 0
    const step = this.#hand?.next()
    if (step !== undefined && !step.done) return step.value
    this.#hand = this.entries.values()
    return this.#hand.next().value
  }
}

/**
 * Responses for workspaces, within a bound of memory; each belongs to the revision of its workspace, and goes when that moves.
 *
 * Which of them stay is decided as in W-TinyLFU, with exact counts. A value that was read enters a small window, first in, first out.
 * When it leaves that, it stays if there is room, or if its question had more visits lately than those whose place it takes, by at
 * least two: of callers that come in turn all have the same count or one more, so those that are there stay. Of the others a ghost
 * remains, an entry without its value, that continues to count. Requests that find a value in the window are one visit: a question
 * repeated at once is not popular.
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

  /** Every request comes here, so it takes two lookups and builds no text. */
  find(workspaceId: string, revision: number, question: string): Value | undefined {
    if (++this.#requests > PERIOD_ROUNDS * this.#main.entries.size) this.#endPeriod()
    const workspace = this.#workspaces.get(workspaceId)
    if (workspace === undefined || workspace.revision !== revision) return undefined
    const entry = workspace.entries.get(question)
    if (entry?.value !== undefined && entry.segment === this.#main) this.#countVisit(entry)
    return entry?.value
  }

  set(workspaceId: string, revision: number, question: string, value: Value): void {
    const weight = value.weight + weightOf(question) + ENTRY_BYTES
    if (weight > this.#maxBytes * RESPONSE_SHARE) {
      const known = this.#workspaces.get(workspaceId)?.entries.get(question)
      if (known?.value !== undefined) this.#drop(known)
      return
    }
    const entry = this.#entryOf(this.#workspaceOf(workspaceId, revision), question)
    entry.segment?.remove(entry)
    entry.segment = undefined
    entry.value = value
    entry.weight = weight
    this.#countVisit(entry)
    this.#window.add(entry)
    while (this.#window.bytes > this.#maxBytes * WINDOW_SHARE) this.#settle(this.#window.next() as Entry<Value>)
    while (this.#ghosts.bytes > this.#maxBytes * GHOST_SHARE) this.#forget(this.#ghosts.next() as Entry<Value>)
    while (this.bytes.current > this.#maxBytes) this.#drop(this.#main.next() as Entry<Value>)
  }

  /** Drops responses of another revision. */
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

  #entryOf(workspace: Workspace<Value>, question: string): Entry<Value> {
    const known = workspace.entries.get(question)
    if (known !== undefined) return known
    const entry = new Entry(workspace, question)
    workspace.entries.set(question, entry)
    return entry
  }

  /** Keeps a value that leaves the window if others had fewer visits, or drops it. */
  #settle(entry: Entry<Value>): void {
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

  /** Leaves a ghost. */
  #drop(entry: Entry<Value>): void {
    entry.segment?.remove(entry)
    entry.segment = undefined
    entry.value = undefined
    entry.weight = weightOf(entry.question) + ENTRY_BYTES
    this.#ghosts.add(entry)
  }

  #forget(entry: Entry<Value>): void {
    const { workspace, question } = entry
    entry.segment?.remove(entry)
    workspace.entries.delete(question)
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

  #endPeriod(): void {
    this.#period++
    this.#requests = 0
  }
}
