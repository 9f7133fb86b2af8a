import type { SqlConnection } from './connection.ts'
import type { PublicReads, PublicStoreOptions, StoredResource } from './store.ts'
import {
  type KeyReference,
  type LeakPlace,
  type RequestFacts,
  RequestRecorder,
  type WriteBatch,
} from './usage/request-recorder.ts'

export abstract class BasePublicStore implements PublicReads {
  protected readonly options: PublicStoreOptions
  protected readonly clock: () => number
  protected readonly requests: RequestRecorder
  readonly #resources: readonly StoredResource[]

  constructor(resources: readonly StoredResource[], options: PublicStoreOptions, write: WriteBatch) {
    const { clock = Date.now, onUseFailure } = options
    this.options = options
    this.clock = clock
    this.requests = new RequestRecorder(write, onUseFailure)
    this.#resources = resources
  }

  abstract utf8Of(text: string): string
  abstract rows<Row>(name: string, sql: string, ...values: (string | number)[]): Promise<Row[]>
  abstract snapshot<T>(workspaceId: string, read: (connection: Pick<SqlConnection, 'all'>) => Promise<T>): Promise<T>

  recordRequest(key: KeyReference, request: RequestFacts, reason?: string, now = this.clock()): void {
    this.requests.recordRequest(key, now, request, reason)
  }

  recordLeak(key: KeyReference, place: LeakPlace): void {
    this.requests.recordLeak(key, this.clock(), place)
  }

  /** Reads every resource for /readyz. No workspace has this id, so nothing is cached. */
  protected async tryReads(): Promise<void> {
    const scope = { workspaceId: NO_WORKSPACE, now: this.clock(), only: null }
    await Promise.all(this.#resources.map(({ read }) => read(this, scope)))
  }

  /** Writes the remaining records, for up to `waitMs`. */
  protected closeRecords(waitMs: number): Promise<void> {
    return this.requests.close(waitMs, this.options.onLost)
  }
}

const NO_WORKSPACE = ''
