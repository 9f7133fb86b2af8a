/** Preloaded into a program: kills it right after its nth statement that matters, as a power cut would. */
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

let left = Number(process.env.KILL_AFTER)
const count = () => {
  if (--left === 0) process.kill(process.pid, 'SIGKILL')
}
const isChange = (sql: unknown) => /^\s*(CREATE|ALTER|DROP|INSERT)\b/.test(String(sql))

const { exec } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (sql: string) {
  exec.call(this, sql)
  if (isChange(sql)) count()
}

/** A schema is changed by several statements in one text: each is sent by itself, so that it can be the last. */
// biome-ignore lint/suspicious/noExplicitAny: the overloads do not matter here.
const query: (...args: any[]) => any = pg.Client.prototype.query
pg.Client.prototype.query = async function (this: pg.Client, sql: unknown, ...rest: unknown[]) {
  if (!isChange(sql) || rest.length > 0) {
    const result = await query.call(this, sql, ...rest)
    if (isChange(sql)) count()
    return result
  }
  let result: unknown
  for (const statement of String(sql).split(/;\n(?=CREATE|ALTER|DROP)/)) {
    result = await query.call(this, statement)
    count()
  }
  return result
} as typeof pg.Client.prototype.query
