import type { ListReader } from '../lists/query.ts'
import { BackgroundUpdates } from './lists/background-updates.ts'
import type { PublicReads, QueryableList, StoredResource } from './lists/reader.ts'
import type { PublicStoreOptions } from './store.ts'
import type { WriteBatch } from './usage/batch-recorder.ts'
import type { KeyReference, LeakPlace, LostRecords, RequestFacts } from './usage/recorded.ts'
import { RequestRecorder } from './usage/request-recorder.ts'

export abstract class BasePublicStore implements PublicReads {
  protected readonly options: PublicStoreOptions
  protected readonly clock: () => number
  protected readonly requests: RequestRecorder
  readonly #resources: readonly StoredResource[]
  readonly #readers = new Map<QueryableList, ListReader>()
  protected readonly background: BackgroundUpdates

  constructor(resources: readonly StoredResource[], options: PublicStoreOptions, write: WriteBatch, batchRows: number) {
    const { clock = Date.now, onUseFailure, onBackgroundFailure = onUseFailure } = options
    this.options = options
    this.clock = clock
    this.requests = new RequestRecorder(write, onUseFailure)
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

  recordRequest(key: KeyReference, request: RequestFacts, reason?: string, now = this.clock()): void {
    this.requests.recordRequest(key, now, request, reason)
  }

  recordLeak(key: KeyReference, place: LeakPlace): void {
    this.requests.recordLeak(key, this.clock(), place)
  }

  /** Reads every resource for /readyz. No workspace has this id, so nothing is cached. */
  protected async tryReads(): Promise<void> {
    const scope = { workspaceId: NO_WORKSPACE, now: this.clock() }
    await Promise.all(this.#resources.map(({ read }) => read(this, scope)))
  }

  /** Writes the remaining records, for up to `waitMs`, and stops background updates. */
  protected async closeRecords(waitMs: number, onLost?: (lost: LostRecords) => void): Promise<void> {
    await Promise.all([this.requests.close(waitMs, onLost), this.background.close()])
  }
}

const NO_WORKSPACE = ''
