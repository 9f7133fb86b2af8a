import type { ListReader } from '../lists/query.ts'
import { BackgroundUpdates } from './lists/background-updates.ts'
import type { PublicReads, QueryableList, StoredResource } from './lists/reader.ts'
import type { PublicStoreOptions } from './store.ts'
import type { Caller } from './usage/caller.ts'
import type { KeyIncident, LostRecords, RequestFacts } from './usage/recorded.ts'
import { type RecordWriters, UseRecorder } from './usage/use-recorder.ts'

export abstract class BasePublicStore implements PublicReads {
  protected readonly options: PublicStoreOptions
  protected readonly clock: () => number
  protected readonly uses: UseRecorder
  readonly #resources: readonly StoredResource[]
  readonly #readers = new Map<QueryableList, ListReader>()
  protected readonly background: BackgroundUpdates

  constructor(
    resources: readonly StoredResource[],
    options: PublicStoreOptions,
    writers: RecordWriters,
    batchRows: number,
  ) {
    const { clock = Date.now, onUseFailure, onBackgroundFailure = onUseFailure } = options
    this.options = options
    this.clock = clock
    this.uses = new UseRecorder(writers, onUseFailure)
    this.background = new BackgroundUpdates(batchRows, onBackgroundFailure)
    this.#resources = resources
  }

  protected abstract createReader(list: QueryableList): ListReader

  abstract rows<Row>(name: string, sql: string, ...values: (string | number)[]): Promise<Row[]>

  reader(list: QueryableList): ListReader {
    const reader = this.#readers.get(list) ?? this.createReader(list)
    this.#readers.set(list, reader)
    return reader
  }

  recordUse(keyId: string, now: number, request: RequestFacts): void {
    this.uses.recordUse(keyId, now, request)
  }

  recordIncident(incident: KeyIncident, caller: Caller, request?: RequestFacts): void {
    this.uses.recordIncident(incident, this.clock(), caller, request)
  }

  /** Reads every resource for /readyz. No workspace has this id, so nothing is cached. */
  protected async tryReads(): Promise<void> {
    const scope = { workspaceId: NO_WORKSPACE, now: this.clock() }
    await Promise.all(this.#resources.map(({ read }) => read(this, scope)))
  }

  /** Writes the remaining records, for up to `waitMs`, and stops background updates. */
  protected async closeRecords(waitMs: number, onLost?: (lost: LostRecords) => void): Promise<void> {
    await Promise.all([this.uses.close(waitMs, onLost), this.background.close()])
  }
}

const NO_WORKSPACE = ''
