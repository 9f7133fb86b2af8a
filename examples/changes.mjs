/**
 * Prints what changed since the beginning of yesterday, or since a date or an instant:
 *   node changes.mjs | mail -s 'What changed' team@example.com
 *   node changes.mjs 2026-11-14
 */
import process from 'node:process'
import { Vitrine, VitrineError } from 'vitrine-client'
import { plain } from './digest-text.mjs'
import { clocksOf } from './local-time.mjs'

const DAY_MS = 86_400_000

try {
  const vitrine = new Vitrine({ url: process.env.VITRINE_URL, key: process.env.VITRINE_KEY })
  const { workspace } = await vitrine.get('/workspace')
  const yesterday = clocksOf(workspace.timezone ?? 'UTC').at(new Date(Date.now() - DAY_MS)).date
  const { since, tasks, gone, goneIsPartial } = await vitrine.changes(process.argv[2] ?? yesterday, {
    fields: ['assigneeName'],
  })
  console.log(`${plain(workspace.name)}, since ${since}\n`)
  console.log(`New or changed: ${tasks.length}`)
  for (const { title, assigneeName } of tasks)
    console.log(`- ${plain([title, assigneeName].filter(Boolean).join(', '))}`)
  console.log(`\nNo longer open: ${goneIsPartial ? 'more than ' : ''}${gone.length}`)
} catch (error) {
  if (!(error instanceof VitrineError || error instanceof TypeError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
