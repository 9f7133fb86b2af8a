import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Config } from '../config.ts'
import type { WindowsMemory } from '../database/shared-windows.ts'
import { UserError } from '../lib/user-error.ts'
import type { WriteBlock } from './line-sink.ts'

export interface WorkerTask {
  config: Config
  /** The module that exports the resources to serve. */
  resourcesUrl: string
  windows: WindowsMemory
  isFirst: boolean
}

export type FromWorker =
  | { kind: 'listening'; port: number }
  | { kind: 'refused'; message: string }
  | { kind: 'log'; block: Uint8Array }

export type ToWorker = { kind: 'stop' } | { kind: 'logged' }

/** A worker as the main thread sees it. */
export class WorkerThread {
  /** The port, once it listens. */
  readonly listening: Promise<number>
  /** Resolves when it has ended as it was told to, and rejects if it ends for any other reason. */
  readonly ended: Promise<void>
  readonly #worker: Worker
  #refusal: UserError | undefined
  #isListening = false
  #isToldToStop = false
  #isTerminated = false

  constructor(task: WorkerTask, writeLog: WriteBlock) {
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: task })
    this.ended = this.#watch()
    this.listening = new Promise((resolve, reject) => {
      this.ended.then(() => reject(new Error('a worker ended before it listened')), reject)
      this.#worker.on('message', (message: FromWorker) => {
        switch (message.kind) {
          case 'listening':
            this.#isListening = true
            return resolve(message.port)
          case 'refused':
            this.#refusal = new UserError(message.message)
            return
          case 'log':
            return writeLog(message.block, () => this.#tell({ kind: 'logged' }))
        }
      })
    })
    // Whoever waits for them hears of it; nobody may be waiting yet.
    this.ended.catch(() => {})
    this.listening.catch(() => {})
  }

  async #watch(): Promise<void> {
    const [code] = await once(this.#worker, 'exit')
    if (this.#refusal !== undefined) throw this.#refusal
    if (this.#isTerminated || (this.#isToldToStop && code === 0)) return
    throw new Error(`a worker ended by itself, with exit code ${code}`)
  }

  #tell(message: ToWorker): void {
    this.#worker.postMessage(message)
  }

  /** One that does not listen yet has nothing to finish. */
  stop(): void {
    this.#isToldToStop = true
    if (this.#isListening) this.#tell({ kind: 'stop' })
    else void this.terminate()
  }

  async terminate(): Promise<void> {
    this.#isTerminated = true
    await this.#worker.terminate()
  }
}
