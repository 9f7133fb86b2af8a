import { callTool, type EndpointName, endpoints, type Server } from '../support/tool-calls.ts'
import type { Args, Payload, Question } from './questions.ts'

/** A model reads about four bytes of JSON as one token. */
const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4)

/** Answers a question with the cheapest calls: from only the texts and, on 2026-07-28, from only the structured content. */
export async function answer(server: Server, endpoint: EndpointName, question: Question) {
  const { tool, next, read } = question
  const calls = [await firstArgs(server, endpoint, question)]
  const results = [await callTool(server, endpoint, tool, calls[0] as Args)]
  const payloads = () => results.map(({ text }) => JSON.parse(text) as Payload)
  if (next !== undefined) {
    calls.push(next(payloads()[0] as Payload))
    results.push(await callTool(server, endpoint, tool, calls[1] as Args))
  }
  return {
    calls,
    tokens: results.reduce((sum, { text }) => sum + tokensOf(text), 0),
    fromText: read(payloads().at(-1) as Payload),
    ...(endpoints[endpoint].isModern && { fromStructured: read(results.at(-1)?.structuredContent as Payload) }),
  }
}

/** The arguments of the first call. A repeated question has been asked long before, so that result is not counted. */
async function firstArgs(server: Server, endpoint: EndpointName, question: Question): Promise<Args> {
  const { tool, args, etagIn } = question
  if (etagIn === undefined) return args
  const { etag } = JSON.parse((await callTool(server, endpoint, tool, args)).text) as Payload
  return { ...args, [etagIn]: etag }
}
