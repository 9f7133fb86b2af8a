/** Loaded into a server by --import: once the file named by FAIL_WHEN exists, one of its workers throws. */
import { existsSync, rmSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const signal = process.env.FAIL_WHEN ?? ''
if (!isMainThread)
  setInterval(() => {
    if (!existsSync(signal)) return
    rmSync(signal, { force: true })
    throw new Error('out of paper')
  }, 20).unref()
