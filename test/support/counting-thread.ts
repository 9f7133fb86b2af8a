/** Counts as a worker of the server would, at the same time as others; reports which places it got. */
import { parentPort, workerData } from 'node:worker_threads'
import { RateWindows, type RateWindowsMemory } from '../../src/lib/rate-windows.ts'

export interface CountingTask {
  memory: RateWindowsMemory
  /** Its first word is 1 once all threads are there. */
  start: SharedArrayBuffer
  name: string
  times: number
}

const { memory, start, name, times } = workerData as CountingTask
const windows = new RateWindows(Date.now, memory)
const quota = { limit: 10, windowSeconds: 3600 }
const places: number[] = []

parentPort?.postMessage('ready')
Atomics.wait(new Int32Array(start), 0, 0)
for (let i = 0; i < times; i++) {
  places.push(windows.count('of all', quota, Date.now()).used)
  windows.count(`${name} ${i}`, quota, Date.now())
}
const ownPlaces = Array.from({ length: times }, (_, i) => windows.count(`${name} ${i}`, quota, Date.now()).used)
parentPort?.postMessage({ places, ownPlaces })
