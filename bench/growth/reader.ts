import type { Admission } from '../../src/database/admission.ts'
import { openPublicStore, parseDatabaseUrl } from '../../src/database/open.ts'
import type { PublicStore } from '../../src/database/store.ts'
import type { ListPage, PageRequest } from '../../src/lists/query.ts'
import { readerOf } from '../../src/lists/stored/rows.ts'
import { resources } from '../../src/resources/index.ts'
import { createBodyReader, ResponseCache } from '../../src/resources/response-cache.ts'
import { tasks } from '../../src/resources/tasks/contract.ts'
import { connectAsWriter, rowChanger, WORKSPACE } from './databases.ts'

const QUOTA = { limit: 1e12, windowSeconds: 60 }

type Read<HttpResponse> = (admission: Admission) => Promise<HttpResponse>

/** The whole response, with its tag, as `GET /tasks` has it; or the first tasks that filters leave. */
export const readBody =
  (filters: PageRequest['filters'] = {}) =>
  (store: PublicStore): Read<Buffer> => {
    const read = createBodyReader(tasks, new ResponseCache(store, 64 * 1024 * 1024))
    return async (admission) => {
      if (Object.keys(filters).length > 0)
        return Buffer.from((await readPage({ filters, limit: 100 })(store)(admission)).rows.join())
      const body = await read(admission)
      if (body === undefined || body.etag === '') throw new Error('there is no answer')
      return body.bytes
    }
  }

/** One page, and where the next begins. */
export const readPage =
  (page: PageRequest) =>
  (store: PublicStore): Read<ListPage> =>
  async (admission) => {
    if (tasks.list === undefined) throw new Error('tasks are not a list')
    return readerOf(store, tasks.list).page(admission, page)
  }

/** Reads a workspace as the server does, after changes that somebody else makes. */
export class Reader<HttpResponse = Buffer> {
  readonly #keyHash: string
  readonly #store: PublicStore
  readonly #read: Read<HttpResponse>
  readonly #writer
  readonly #change
  #changes = 0

  private constructor(path: string, keyHash: string, store: PublicStore, read: Read<HttpResponse>) {
    this.#keyHash = keyHash
    this.#store = store
    this.#read = read
    this.#writer = connectAsWriter(path)
    this.#change = rowChanger(this.#writer, 'tasks', 'details')
  }

  static async open<HttpResponse = Buffer>(
    path: string,
    keyHash: string,
    createRead: (store: PublicStore) => Read<HttpResponse>,
  ): Promise<Reader<HttpResponse>> {
    const store = await openPublicStore(parseDatabaseUrl(`sqlite:${path}`), resources, {
      defaultQuota: QUOTA,
      onUseFailure: (error) => {
        throw error
      },
    })
    return new Reader(path, keyHash, store, createRead(store))
  }

  /** The microseconds that each of some reads took, each after a change; of the changes nothing is counted. */
  async costsOf(reads: number): Promise<number[]> {
    const costs: number[] = []
    for (let i = 0; i < reads; i++) {
      this.#change(WORKSPACE, 'task_1', `They hold the price until Friday; ask “again”, ${++this.#changes}.`)
      const startedAt = performance.now()
      await this.read()
      costs.push((performance.now() - startedAt) * 1000)
    }
    return costs
  }

  async read(): Promise<HttpResponse> {
    const admission = await this.#store.admit(this.#keyHash)
    if (admission === undefined || 'reason' in admission) throw new Error('the key is not admitted')
    return this.#read(admission)
  }

  async close(): Promise<void> {
    this.#writer.close()
    await this.#store.close()
  }
}
