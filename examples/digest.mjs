/**
 * Prints what is overdue and what is due today, in the workspace's timezone:
 *   node digest.mjs | mail -s 'Today' team@example.com
 * With a time as its argument, such as 2026-11-16T07:00:00Z, it prints what it would have printed then.
 */
import process from 'node:process'
import { Vitrine, VitrineError } from 'vitrine-client'
import { digest, questionsOf } from './digest-text.mjs'

try {
  const now = new Date(process.argv[2] ?? Date.now())
  if (Number.isNaN(now.getTime())) throw new TypeError(`not a time: ${process.argv[2]}`)
  const vitrine = new Vitrine({ url: process.env.VITRINE_URL, key: process.env.VITRINE_KEY })
  const { workspace } = await vitrine.get('/workspace')
  const questions = questionsOf(workspace, now)
  const [overdue, today, undated] = await Promise.all([
    vitrine.listTasks(questions.overdue),
    vitrine.listTasks(questions.today),
    vitrine.listTasks(questions.undated),
  ])
  console.log(digest(workspace, { overdue, today, undated }, now))
} catch (error) {
  if (!(error instanceof VitrineError || error instanceof TypeError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
