import { withFrozenService } from '../test/questions/frozen-service.ts'
import { answer } from '../test/questions/oracle.ts'
import { type Args, questions } from '../test/questions/questions.ts'

/**
 * What questions take: the calls, and the tokens of their results in the longer version, estimated at four bytes each. One question for
 * each combination of arguments.
 */
export const questionTable = (): Promise<string> =>
  withFrozenService('New York', async (server) => {
    const rows = ['| question | calls of `list_tasks` | tokens |', '| --- | --- | --: |']
    const combinations = new Set<string>()
    for (const question of questions) {
      const { calls, tokens } = await answer(server, '2026-07-28 on /v2/mcp', question)
      const combination = Object.keys(calls.at(-1) ?? {})
        .filter((name) => !SHAPE.has(name))
        .join()
      if (combinations.has(combination)) continue
      combinations.add(combination)
      const older = await answer(server, '2025-03-26 on /mcp', question)
      const shown = calls.map((args) => `\`${question.tool === 'list_tasks' ? shortened(args) : question.tool}\``)
      // Markdown would make a link of an address.
      const ask = question.ask.replace('{etag}', '…').replace(/\S+@[\w.]+/, '`$&`')
      rows.push(`| ${ask} | ${shown.join(', then ')} | ${Math.max(tokens, older.tokens)} |`)
    }
    return rows.join('\n')
  })

const SHAPE = new Set(['limit', 'fields'])

/** Cursors and etags tell a reader nothing. */
const shortened = (args: Args) =>
  JSON.stringify(args, (name, value) =>
    ['cursor', 'ifNoneMatch'].includes(name) || (name === 'changedSince' && ETAG.test(value)) ? '…' : value,
  )
const ETAG = /^[\w-]{24,}$/
