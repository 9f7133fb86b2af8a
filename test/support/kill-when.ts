/** Preloaded into a program: kills it right after the commit that makes the query KILL_WHEN return a row, as a power cut would. */
import { DatabaseSync } from 'node:sqlite'

const query = process.env.KILL_WHEN ?? ''

const { exec } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (sql: string) {
  exec.call(this, sql)
  if (sql === 'COMMIT' && this.prepare(query).get() !== undefined) process.kill(process.pid, 'SIGKILL')
}
