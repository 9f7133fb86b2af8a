/** Preloaded into a program: kills it right after its nth statement that changes something, as a power cut would. */
import { DatabaseSync, StatementSync } from 'node:sqlite'
import pg from 'pg'

let left = Number(process.env.KILL_AFTER)
const isChange = (sql: unknown) => /^(\s|--.*\n)*(CREATE|ALTER|DROP|INSERT|UPDATE|DELETE|LOCK|DO)\b/.test(String(sql))
const countChange = (sql: unknown) => {
  if (isChange(sql) && --left === 0) process.kill(process.pid, 'SIGKILL')
}

const { exec } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (sql: string) {
  exec.call(this, sql)
  countChange(sql)
}

// biome-ignore lint/suspicious/noExplicitAny: the overloads do not matter here, nor below.
const run: (...values: any[]) => any = StatementSync.prototype.run
StatementSync.prototype.run = function (this: StatementSync, ...values: unknown[]) {
  const result = run.apply(this, values)
  countChange(this.sourceSQL)
  return result
}

/** A schema is created by several statements in one text: each is sent by itself, so that it can be the last. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
const query: (...args: any[]) => any = pg.Client.prototype.query
pg.Client.prototype.query = async function (this: pg.Client, sql: unknown, ...rest: unknown[]) {
  const isText = typeof sql === 'string' && rest.length === 0
  let result: unknown
  for (const statement of isText ? sql.split(/;\n(?=CREATE|ALTER|DROP|INSERT)/) : [sql]) {
    result = await query.call(this, statement, ...rest)
    countChange(Object(statement).text ?? statement)
  }
  return result
} as typeof pg.Client.prototype.query
