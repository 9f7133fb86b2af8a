import { setTimeout as delay } from 'node:timers/promises'
import { countChains } from '../audit/chain-watch.ts'
import { clockError } from '../audit/trusted-time.ts'
import type { OperatorStore } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { definitionDifferences, differenceKinds } from '../database/tables/declared-tables.ts'
import { attentionKinds, countKeys } from '../keys/evaluate.ts'
import { HOUR_MS, MINUTE_MS } from '../lib/duration.ts'
import { rememberedResources } from '../resources/declared/retirement.ts'
import { type Sample, sample } from './collect.ts'

/** Reads rest for this many times as long as they took, so that all of them together take 2 % of a thread. */
const REST_FACTOR = 50
const MIN_REST_MS = 5

type Store = Pick<OperatorStore, 'read' | 'space'>

interface Schema {
  tables: readonly Table[]
  /** How many differences the server found when it last looked. */
  differences: () => number
}

type Measure = () => Promise<Sample[]>

/** Measures what 'vitrine doctor' checks, in short reads in the background. A scrape gets the last results. */
export class HealthMetrics {
  readonly #store: Store
  readonly #schema: Schema
  readonly #onFailure: (error: unknown) => void
  readonly #results = new Map<Measure, Sample[]>()
  readonly #stopping = new AbortController()
  readonly #running: Promise<unknown>
  readonly #pace = {
    pause: (tookMs: number) => this.#rest(Math.max(MIN_REST_MS, tookMs * REST_FACTOR)),
    isStopped: () => this.#stopping.signal.aborted,
  }

  constructor(store: Store, schema: Schema, onFailure: (error: unknown) => void) {
    this.#store = store
    this.#schema = schema
    this.#onFailure = onFailure
    this.#running = Promise.all([
      this.#repeat(MINUTE_MS, () => this.#space()),
      this.#repeat(MINUTE_MS, () => this.#keys()),
      this.#repeat(MINUTE_MS, () => this.#differences()),
      this.#repeat(HOUR_MS, () => this.#clock()),
      this.#repeat(HOUR_MS, () => this.#chains()),
    ])
  }

  samples(): Sample[] {
    return [...this.#results.values()].flat()
  }

  /** The last result stays after a failure: without it, alerts would resolve and fire again. Failures are counted separately. */
  async #repeat(everyMs: number, measure: Measure): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      let restMs = everyMs
      try {
        const samples = await measure()
        // A pass that was stopped is incomplete.
        if (!this.#stopping.signal.aborted) this.#results.set(measure, samples)
      } catch (error) {
        restMs = MINUTE_MS
        if (!this.#stopping.signal.aborted) this.#onFailure(error)
      }
      await this.#rest(restMs)
    }
  }

  async #space(): Promise<Sample[]> {
    const { sizeBytes, walBytes, freeBytes } = await this.#store.space()
    return [
      sample('vitrine_database_size_bytes', sizeBytes),
      ...(walBytes === undefined ? [] : [sample('vitrine_database_wal_bytes', walBytes)]),
      ...(freeBytes === undefined ? [] : [sample('vitrine_database_free_bytes', freeBytes)]),
    ]
  }

  async #keys(): Promise<Sample[]> {
    const { states, attention } = await countKeys(this.#store, Date.now(), this.#pace)
    return [
      ...Object.entries(states).map(([state, count]) => sample('vitrine_keys', count, state)),
      ...attentionKinds.map((kind) => sample('vitrine_keys_attention', attention[kind].count, kind)),
    ]
  }

  async #differences(): Promise<Sample[]> {
    const { tables, differences: countObjects } = this.#schema
    const definitions = definitionDifferences(tables, await this.#store.read(rememberedResources))
    return [
      sample('vitrine_schema_differences', countObjects(), 'object'),
      ...differenceKinds.map((kind) =>
        sample('vitrine_schema_differences', definitions.filter((each) => each.kind === kind).length, kind),
      ),
    ]
  }

  async #clock(): Promise<Sample[]> {
    const { behindMs, aheadMs } = await this.#store.read(clockError)
    return [
      sample('vitrine_clock_error_seconds', behindMs / 1000, 'behind'),
      sample('vitrine_clock_error_seconds', aheadMs / 1000, 'ahead'),
    ]
  }

  async #chains(): Promise<Sample[]> {
    const counts = await countChains(this.#store, this.#pace)
    return Object.entries(counts).map(([state, count]) => sample('vitrine_audit_chains', count, state))
  }

  #rest(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => {})
  }

  /** Resolves when no read is running. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }
}
