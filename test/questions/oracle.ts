import { callTool, type EndpointName, endpoints, type Server, withFrozenService } from './frozen-service.ts'
import { type Call, type Payload, type Question, questions, type Value } from './questions.ts'

/** Models read about four bytes of JSON as one token. */
export const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4)

interface Answered {
  calls: Call[]
  tokens: number
  /** What follows from the texts alone, and from the structured content alone. 2025-03-26 has no structured content. */
  fromText: Value
  fromStructured?: Value
}

/** Answers a question with its cheapest calls, as an agent without a mind would. */
export async function answer(server: Server, endpoint: EndpointName, question: Question): Promise<Answered> {
  const results: { text: string; structuredContent?: unknown }[] = []
  const ask = async ([name, args]: Call) => {
    const result = await callTool(server, endpoint, name, args)
    results.push(result)
    return JSON.parse(result.text) as Payload
  }
  const calls = [question.first(await etagBefore(server, endpoint, question))]
  const payload = await ask(calls[0] as Call)
  if (question.second !== undefined) {
    calls.push(question.second(payload))
    await ask(calls[1] as Call)
  }
  const read = (payloads: unknown[]) => question.read(payloads.at(-1) as Payload)
  return {
    calls,
    tokens: results.reduce((sum, { text }) => sum + tokensOf(text), 0),
    fromText: read(results.map(({ text }) => JSON.parse(text))),
    ...(endpoints[endpoint].isModern && {
      fromStructured: read(results.map(({ structuredContent }) => structuredContent)),
    }),
  }
}

/** For questions about what has changed: the etag of a result that is not counted, because it was read long before. */
export async function etagBefore(server: Server, endpoint: EndpointName, { earlier }: Question): Promise<string> {
  if (earlier === undefined) return ''
  return (JSON.parse((await callTool(server, endpoint, ...earlier)).text) as Payload).etag
}

/** The table in docs/mcp.md. */
export const questionTable = () =>
  withFrozenService('New York', async (server) => {
    const rows: string[] = []
    for (const question of questions) {
      const { calls, tokens } = await answer(server, '2026-07-28 on /v2/mcp', question)
      const { tokens: older } = await answer(server, '2025-03-26 on /mcp', question)
      const shown = calls.map(([tool, args]) => `\`${tool} ${JSON.stringify(shortened(args))}\``).join(', then ')
      rows.push(`| ${question.ask.replace('{etag}', '…')} | ${shown} | ${tokens} | ${older} |`)
    }
    return [
      '| question | calls | tokens, 2026-07-28 | tokens, 2025-03-26 |',
      '| --- | --- | --: | --: |',
      ...rows,
    ].join('\n')
  })

/** Cursors and etags tell a reader nothing. */
const shortened = (args: Call[1]) =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, ['cursor', 'ifNoneMatch'].includes(name) ? '…' : value]),
  )
