// What every peer serves, parsed once at its start and kept in memory.
import { readFileSync } from 'node:fs'

export const { workspace, tasks } = JSON.parse(readFileSync(process.env.BENCH_DATA, 'utf8'))

export const port = Number(process.env.PORT)

export const getWorkspace = () => ({ workspace })

export function listTasks({ limit = 100, bookKey, assigneeEmail, dueBefore }) {
  const email = assigneeEmail?.toLowerCase()
  const found = tasks.filter(
    (task) =>
      (bookKey === undefined || task.bookKey === bookKey) &&
      (email === undefined || task.assigneeEmail.toLowerCase() === email) &&
      (dueBefore === undefined || task.dueAt < dueBefore),
  )
  return { tasks: found.slice(0, limit) }
}

export const asText = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })

/** What Vitrine says of a list in the protocol of 2026; the tag is not even computed here. */
export const listTasksNow = (args) => ({
  asOf: new Date().toISOString(),
  timezone: workspace.timezone,
  etag: 'AAAAAAAAAAAAAAAAAAAAAA',
  hasMore: false,
  nextCursor: null,
  ...listTasks(args),
})

/** The same JSON twice, as Vitrine answers there. */
export const asStructured = (value) => ({ ...asText(value), structuredContent: value })

// A proper end lets the runtime keep what it compiled, as Vitrine's own does.
process.once('SIGTERM', () => process.exit())
