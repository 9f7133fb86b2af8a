import type { Engine } from './database.ts'

/** SQL for a published field of a row in `list_items`. */
export const fieldSql = (engine: Engine, field: string): string =>
  engine === 'sqlite' ? `body ->> '${field}'` : `body::json ->> '${field}'`

/** How many tasks have each title. */
export const titleCounts = (engine: Engine): string =>
  `SELECT title, count(*) AS n FROM (SELECT ${fieldSql(engine, 'title')} AS title FROM list_items) AS tasks GROUP BY title`
