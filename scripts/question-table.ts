import { withFrozenService } from '../test/questions/frozen-service.ts'
import { answer } from '../test/questions/oracle.ts'
import { type Args, questions } from '../test/questions/questions.ts'

/** What each question takes: the calls, and the tokens of their results, which are estimated at four bytes each. */
export const questionTable = (): Promise<string> =>
  withFrozenService('New York', async (server) => {
    const rows: string[] = []
    for (const question of questions) {
      const { calls, tokens } = await answer(server, '2026-07-28 on /v2/mcp', question)
      const { tokens: older } = await answer(server, '2025-03-26 on /mcp', question)
      const shown = calls.map((args) => `\`${question.tool} ${JSON.stringify(shortened(args))}\``).join(', then ')
      rows.push(`| ${question.ask.replace('{etag}', '…')} | ${shown} | ${tokens} | ${older} |`)
    }
    return [
      '| question | calls | tokens, 2026-07-28 | tokens, 2025-03-26 |',
      '| --- | --- | --: | --: |',
      ...rows,
    ].join('\n')
  })

/** Cursors and etags tell a reader nothing. */
const shortened = (args: Args) =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, ['cursor', 'ifNoneMatch'].includes(name) ? '…' : value]),
  )
