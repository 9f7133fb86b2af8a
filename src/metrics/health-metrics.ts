import { setTimeout as delay } from 'node:timers/promises'
import type { OperatorStore } from '../database/store.ts'
import {
  definitionDifferences,
  differenceKinds,
  type HasList,
  rememberedResources,
} from '../database/tables/declared-lists.ts'
import { attentionKinds, countKeys } from '../keys/evaluate.ts'
import { MINUTE_MS } from '../lib/duration.ts'
import { type Sample, sample } from './collect.ts'

/** Reads rest for this many times as long as they took, so that all of them together take 2 % of a thread. */
const REST_FACTOR = 50
const MIN_REST_MS = 5

export interface CheckedSchema {
  resources: readonly HasList[]
  /** How many differences the server found when it last looked. */
  readonly differences: number
}

type Measure = () => Promise<Sample[]>

/** Measures what 'vitrine doctor' checks, in short reads in the background. A scrape gets the last results. */
export function startHealthMetrics(
  store: Pick<OperatorStore, 'read' | 'space'>,
  schema: CheckedSchema,
  onFailure: (error: unknown) => void,
) {
  const results = new Map<Measure, Sample[]>()
  const stopping = new AbortController()
  const { signal } = stopping
  const rest = (ms: number): Promise<void> => delay(ms, undefined, { signal, ref: false }).catch(() => {})
  const pace = {
    pause: (tookMs: number) => rest(Math.max(MIN_REST_MS, tookMs * REST_FACTOR)),
    isStopped: () => signal.aborted,
  }

  /** The last result stays after a failure: without it, alerts would resolve and fire again. Failures are counted separately. */
  async function repeat(measure: Measure): Promise<void> {
    while (!signal.aborted) {
      try {
        const samples = await measure()
        // A pass that was stopped is incomplete.
        if (!signal.aborted) results.set(measure, samples)
      } catch (error) {
        if (!signal.aborted) onFailure(error)
      }
      await rest(MINUTE_MS)
    }
  }

  async function space(): Promise<Sample[]> {
    const { sizeBytes, walBytes, freeBytes, backupMs } = await store.space()
    return [
      sample('vitrine_database_size_bytes', sizeBytes),
      ...(walBytes === undefined ? [] : [sample('vitrine_database_wal_bytes', walBytes)]),
      ...(freeBytes === undefined ? [] : [sample('vitrine_database_free_bytes', freeBytes)]),
      ...(backupMs === undefined ? [] : [sample('vitrine_backup_timestamp_seconds', backupMs / 1000)]),
    ]
  }

  async function keys(): Promise<Sample[]> {
    const { states, attention } = await countKeys(store, pace)
    return [
      ...Object.entries(states).map(([state, count]) => sample('vitrine_keys', count, state)),
      ...attentionKinds.map((kind) => sample('vitrine_keys_attention', attention[kind].count, kind)),
    ]
  }

  async function differences(): Promise<Sample[]> {
    const definitions = definitionDifferences(schema.resources, await store.read(rememberedResources))
    return [
      sample('vitrine_schema_differences', schema.differences, 'object'),
      ...differenceKinds.map((kind) =>
        sample('vitrine_schema_differences', definitions.filter((each) => each.kind === kind).length, kind),
      ),
    ]
  }

  const repeated = [space, keys, differences].map(repeat)
  return {
    samples: (): Sample[] => [...results.values()].flat(),
    /** Resolves when no read is running. */
    async stop() {
      stopping.abort()
      await Promise.all(repeated)
    },
  }
}
