import { SqlitePublicStore } from '../../src/database/sqlite/public-store.ts'
import { type BodyReader, createBodyReader } from '../../src/resources/body-reader.ts'
import { resources } from '../../src/resources/index.ts'
import { ResponseCache } from '../../src/resources/response-cache.ts'
import { tasks } from '../../src/resources/tasks/contract.ts'
import { connectAsWriter, WORKSPACE } from './databases.ts'

const QUOTA = { limit: 1e12, windowSeconds: 60 }

/** Reads a workspace as the server does, after changes that somebody else makes. */
export class Reader {
  readonly #path: string
  readonly #keyHash: string
  readonly #args: Record<string, string>
  readonly #store: SqlitePublicStore
  readonly #readBody: BodyReader
  readonly #writer
  readonly #change
  #tick = 0

  /** With arguments as `list_tasks` takes them, or without any, which is what `GET /tasks` answers. */
  constructor(path: string, keyHash: string, args: Record<string, string> = {}) {
    this.#path = path
    this.#keyHash = keyHash
    this.#args = args
    this.#store = new SqlitePublicStore(path, resources, {
      onUseFailure: (error) => {
        throw error
      },
    })
    this.#readBody = createBodyReader(tasks, new ResponseCache(this.#store, 64 * 1024 * 1024))
    this.#writer = connectAsWriter(path)
    this.#change = this.#writer.prepare(
      `UPDATE tasks SET details = ? WHERE workspace_id = '${WORKSPACE}' AND id = 'task_1'`,
    )
  }

  get path(): string {
    return this.#path
  }

  /** The microseconds that each of some reads took, each after a change; of the changes nothing is counted. */
  async costsOf(reads: number): Promise<number[]> {
    const costs: number[] = []
    for (let i = 0; i < reads; i++) {
      this.#change.run(`They hold the price until Friday; ask “again”, ${this.#tick}.`)
      const startedAt = performance.now()
      await this.read()
      costs.push((performance.now() - startedAt) * 1000)
    }
    return costs
  }

  async read(): Promise<Buffer> {
    const admission = await this.#store.admit(this.#keyHash, QUOTA, ++this.#tick)
    if (admission === undefined) throw new Error('the key is not known')
    const body = await this.#readBody(admission, this.#args)
    if (body === undefined || body.etag === '') throw new Error('there is no answer')
    return body.bytes
  }

  async close(): Promise<void> {
    this.#writer.close()
    await this.#store.close()
  }
}
