import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Config } from '../../config.ts'
import type { RateWindowsMemory } from '../../lib/rate-windows.ts'
import { UserError } from '../../lib/user-error.ts'
import type { Sample } from '../../metrics/collect.ts'
import { moduleUrl } from '../module-url.ts'
import type { WriteBlock } from './logger.ts'

export interface WorkerData {
  config: Config
  resourcesUrl: string
  rateWindows: RateWindowsMemory
  isFirst: boolean
}

export type FromWorker =
  | { kind: 'listening'; port: number }
  | { kind: 'refused'; message: string }
  | { kind: 'log'; block: Uint8Array }
  | { kind: 'collected'; samples: readonly Sample[] }

export type ToWorker = { kind: 'stop' } | { kind: 'logged'; lostLines: number } | { kind: 'collect' }

export class WorkerThread {
  readonly listening: Promise<number>
  /** Rejects unless the thread was asked to stop. */
  readonly ended: Promise<void>
  readonly #worker: Worker
  #refusal: UserError | undefined
  #isListening = false
  #collecting: PromiseWithResolvers<readonly Sample[]> | undefined
  #isStopping = false
  #isTerminated = false

  constructor(data: WorkerData, writeLog: WriteBlock) {
    this.#worker = new Worker(moduleUrl('./worker', import.meta.url), { workerData: data })
    this.ended = this.#watch()
    this.listening = new Promise((resolve, reject) => {
      this.ended.then(() => reject(new Error('a worker exited before it listened')), reject)
      this.#worker.on('message', (message: FromWorker) => {
        switch (message.kind) {
          case 'listening':
            this.#isListening = true
            return resolve(message.port)
          case 'refused':
            this.#refusal = new UserError(message.message)
            return
          case 'log':
            return writeLog(message.block, (lostLines) => this.#send({ kind: 'logged', lostLines }))
          case 'collected':
            this.#collecting?.resolve(message.samples)
            this.#collecting = undefined
            return
        }
      })
    })
    // An unhandled rejection, before these are awaited, would end the program.
    this.ended.catch(() => {})
    this.listening.catch(() => {})
  }

  async #watch(): Promise<void> {
    const [code] = await once(this.#worker, 'exit')
    if (this.#refusal !== undefined) throw this.#refusal
    if (this.#isTerminated || (this.#isStopping && code === 0)) return
    throw new Error(`a worker exited unexpectedly with code ${code}`)
  }

  /** Callers share a pending request, so that requests to a thread that hangs do not pile up. */
  collect(): Promise<readonly Sample[]> {
    if (this.#collecting === undefined) {
      this.#collecting = Promise.withResolvers()
      this.#send({ kind: 'collect' })
    }
    return this.#collecting.promise
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message)
  }

  /** A thread that does not listen yet has no requests to finish. */
  stop(): void {
    this.#isStopping = true
    if (this.#isListening) this.#send({ kind: 'stop' })
    else void this.terminate()
  }

  async terminate(): Promise<void> {
    this.#isTerminated = true
    await this.#worker.terminate()
  }
}
