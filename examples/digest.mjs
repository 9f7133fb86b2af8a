/**
 * Prints what is overdue and what is due today, in the workspace's timezone:
 *   node digest.mjs | mail -s 'Today' team@example.com
 * With a time as its argument, such as 2026-11-16T07:00:00Z, it prints what it would have printed then.
 */
import process from 'node:process'
import { Vitrine, VitrineError } from 'vitrine-client'
import { digest } from './digest-text.mjs'

try {
  const now = new Date(process.argv[2] ?? Date.now())
  if (Number.isNaN(now.getTime())) throw new TypeError(`not a time: ${process.argv[2]}`)
  const vitrine = new Vitrine({ url: process.env.VITRINE_URL, key: process.env.VITRINE_KEY })
  const [{ workspace }, { tasks }] = await Promise.all([vitrine.get('/workspace'), vitrine.get('/tasks')])
  console.log(digest(workspace, tasks, now))
} catch (error) {
  if (!(error instanceof VitrineError || error instanceof TypeError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
