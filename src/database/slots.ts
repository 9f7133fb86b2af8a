import { storeBusy } from './errors.ts'

interface Limits {
  /** At once. */
  total: number
  /** At once for one workspace, so that none takes all slots. */
  each: number
  /** For one workspace. */
  waiting: number
}

/** Runs reads that may take long, a few at once. Workspaces take turns. */
export class Slots {
  readonly #limits: Limits
  readonly #running = new Map<string, number>()
  readonly #waiting = new Map<string, (() => void)[]>()
  #total = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get waiting(): number {
    return this.#waiting.values().reduce((sum, queue) => sum + queue.length, 0)
  }

  async run<T>(workspaceId: string, read: () => Promise<T>): Promise<T> {
    if (this.#isFree(workspaceId)) this.#take(workspaceId)
    else await this.#wait(workspaceId)
    try {
      return await read()
    } finally {
      this.#release(workspaceId)
    }
  }

  #isFree(workspaceId: string): boolean {
    return this.#total < this.#limits.total && (this.#running.get(workspaceId) ?? 0) < this.#limits.each
  }

  #take(workspaceId: string): void {
    this.#total++
    this.#running.set(workspaceId, (this.#running.get(workspaceId) ?? 0) + 1)
  }

  #wait(workspaceId: string): Promise<void> {
    const queue = this.#waiting.get(workspaceId) ?? []
    if (queue.length >= this.#limits.waiting) throw storeBusy
    this.#waiting.set(workspaceId, queue)
    return new Promise((resolve) => queue.push(resolve))
  }

  /** The workspace that has waited longest goes next, and then waits behind the others. */
  #release(workspaceId: string): void {
    this.#total--
    const left = (this.#running.get(workspaceId) ?? 0) - 1
    if (left > 0) this.#running.set(workspaceId, left)
    else this.#running.delete(workspaceId)
    for (const [next, queue] of this.#waiting) {
      if (!this.#isFree(next)) continue
      const start = queue.shift()
      this.#waiting.delete(next)
      if (queue.length > 0) this.#waiting.set(next, queue)
      this.#take(next)
      start?.()
      return
    }
  }
}
