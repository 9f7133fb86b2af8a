import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** As often as one that waits for the write lock tries it, twice over. */
const LOOK_EVERY_MS = 5

/** The longest time, in milliseconds, for which the work kept others from writing to a database without a pause. */
export async function longestHold(database: string, work: () => Promise<unknown>): Promise<number> {
  const watch = new Worker(new URL(import.meta.url), { workerData: database })
  await once(watch, 'message')
  await work()
  watch.postMessage('stop')
  const [longestMs] = await once(watch, 'message')
  return longestMs
}

if (!isMainThread) {
  const db = new DatabaseSync(workerData, { timeout: 0 })
  let [longestMs, heldSince]: [number, number | undefined] = [0, undefined]
  const look = () => {
    try {
      db.exec('BEGIN IMMEDIATE; ROLLBACK')
      heldSince = undefined
    } catch {
      heldSince ??= performance.now()
      longestMs = Math.max(longestMs, performance.now() - heldSince)
    }
  }
  const looking = setInterval(look, LOOK_EVERY_MS)
  parentPort?.on('message', () => {
    clearInterval(looking)
    db.close()
    parentPort?.postMessage(Math.round(longestMs))
    parentPort?.close()
  })
  parentPort?.postMessage('ready')
}
