/** Loaded into a server by --import: while the file named by HANG_WHILE exists, its first worker hangs. */
import { existsSync } from 'node:fs'
import { isMainThread, threadId } from 'node:worker_threads'

const signal = process.env.HANG_WHILE ?? ''
const cell = new Int32Array(new SharedArrayBuffer(4))
if (!isMainThread && threadId === 1)
  setInterval(() => {
    while (existsSync(signal)) Atomics.wait(cell, 0, 0, 20)
  }, 20).unref()
