import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { callTool, type EndpointName, endpoints, request, type Server } from '../support/tool-calls.ts'
import { firstArgs, tokensOf } from './oracle.ts'
import { forms, type Question, questions, type Value } from './questions.ts'
import type { World } from './world.ts'

/** An OpenAI-compatible endpoint, such as https://api.openai.com/v1. */
type Chat = { baseUrl: string; model: string; apiKey?: string }
type ToolCall = { id: string; function: { name: string; arguments: string } }

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | null
  tool_calls?: ToolCall[]
  tool_call_id?: string
}

const MAX_ROUNDS = 8
const MAX_ATTEMPTS = 3
const TIMEOUT_MS = 120_000

/** Puts each question to a model that has the server's tools, in a conversation of its own, and scores the response. */
export async function* run(chat: Chat, server: Server, endpoint: EndpointName, world: World, asked = questions) {
  const { tools } = await request(server, endpoint, 'tools/list', {})
  const greeting = endpoints[endpoint].isModern ? 'server/discover' : 'initialize'
  const { instructions } = await request(server, endpoint, greeting, {})
  const functions = tools.map(({ name, description, inputSchema }) => ({
    ...{ type: 'function', function: { name, description, parameters: inputSchema } },
  }))
  for (const question of asked) {
    const { ifNoneMatch } = await firstArgs(server, endpoint, question)
    const ask = question.ask.replace('{etag}', String(ifNoneMatch))
    const messages: Message[] = [
      { role: 'system', content: `${instructions}\n\nFind the answer with the tools, in as few calls as possible.` },
      { role: 'user', content: `${ask}\n\nEnd with one line: ANSWER: followed by ${forms[question.form]}, as JSON.` },
    ]
    const score = { question, isRight: false, calls: 0, tokens: 0, said: '', isFault: false }
    try {
      score.said = await converse(chat, messages, functions, async ({ function: { name, arguments: json } }) => {
        const text = await resultOf(server, endpoint, name, json)
        score.calls++
        score.tokens += tokensOf(text)
        return text
      })
      score.isRight = isAnswer(question, score.said, question.right(world))
    } catch (error) {
      score.said = (error as Error).message
      score.isFault = true
    }
    yield score
  }
}

/** What the model says when it calls no more tools, or when it has called them for too long. */
async function converse(
  chat: Chat,
  messages: Message[],
  tools: readonly object[],
  callTool: (call: ToolCall) => Promise<string>,
): Promise<string> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { content, tool_calls } = await complete(chat, { model: chat.model, messages, tools })
    if (tool_calls.length === 0) return content ?? ''
    messages.push({ role: 'assistant', content, tool_calls })
    for (const call of tool_calls) messages.push({ role: 'tool', tool_call_id: call.id, content: await callTool(call) })
  }
  return `(still calling tools after ${MAX_ROUNDS} rounds)`
}

/** A model reads about its mistakes, as in any other client, and may correct them. */
async function resultOf(server: Server, endpoint: EndpointName, name: string, json: string): Promise<string> {
  try {
    return (await callTool(server, endpoint, name, JSON.parse(json || '{}'))).text
  } catch (error) {
    return `Error: ${(error as Error).message}`
  }
}

async function complete({ baseUrl, apiKey }: Chat, body: object) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    const wait = response.headers.get('retry-after')
    if (response.ok) return messageIn(text)
    if (wait === null || attempt === MAX_ATTEMPTS)
      throw new Error(`the endpoint responded ${response.status}: ${text.slice(0, 200)}`)
    await setTimeout(Math.min(1000 * Number(wait) || 0, TIMEOUT_MS))
  }
}

function messageIn(text: string) {
  try {
    const { choices } = JSON.parse(text) as { choices: [{ message: Message }] }
    const { content, tool_calls } = choices[0].message
    return { content, tool_calls: tool_calls ?? [] }
  } catch {
    throw new Error(`the endpoint's response is not a chat completion: ${text.slice(0, 200)}`)
  }
}

/** Ids may come in any order, and texts in upper or lower case. */
function isAnswer({ form }: Question, said: string, right: Value): boolean {
  const written = /.*ANSWER:\s*(.+)/s.exec(said)?.[1]?.trim() ?? ''
  const comparable = (value: unknown) => {
    if (form === 'ids' && Array.isArray(value)) return [...value].sort()
    return typeof value === 'string' ? value.normalize().toLowerCase() : value
  }
  try {
    return isDeepStrictEqual(comparable(JSON.parse(written)), comparable(right))
  } catch {
    return comparable(written) === comparable(right)
  }
}
