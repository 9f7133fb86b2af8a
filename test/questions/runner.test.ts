import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { listen } from '../support/listen.ts'
import { questions } from './questions.ts'
import type { Message } from './runner.ts'

const MAIN = join(import.meta.dirname, 'main.ts')

type Request = { model: string; messages: Message[]; tools: { function: { name: string } }[] }
type Reply = { message: Partial<Message> }

/** A stand-in for a model's endpoint, on a real socket. */
async function startStandIn(t: TestContext, reply: (request: Request, authorization?: string) => Reply) {
  const server = createServer({ keepAliveTimeout: 0 }, async (req, res) => {
    const replied = reply(JSON.parse(await text(req)), req.headers.authorization)
    if (req.url !== '/v1/chat/completions') res.writeHead(404).end()
    else res.end(JSON.stringify({ choices: [{ message: { role: 'assistant', ...replied.message } }] }))
  })
  t.after(() => server.close())
  return `http://127.0.0.1:${await listen(server)}/v1`
}

const says = (content: string): Reply => ({ message: { content } })
const calls = (name: string, json: string): Reply => ({
  message: { content: null, tool_calls: [{ id: 'call_1', function: { name, arguments: json } }] },
})

/** Calls the tools as the oracle does, and concludes from nothing but the texts that it was given. */
function ideal({ messages }: Request): Reply {
  const asked = messages[1]?.content ?? ''
  const question = questions.find(({ ask }) => asked.startsWith(ask.split('{etag}')[0] ?? ask))
  assert.ok(question, asked)
  const { tool, args, next, read } = question
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.parse(content ?? ''))
  const [, ifNoneMatch] = /etag (\S+)\?/.exec(asked) ?? []
  if (results.length === 0) return calls(tool, JSON.stringify({ ...args, ifNoneMatch }))
  if (results.length === 1 && next !== undefined) return calls(tool, JSON.stringify(next(results[0])))
  return says(`It is like this.\n\nANSWER: ${JSON.stringify(read(results.at(-1)))}`)
}

async function runProgram(args: string[], env: Record<string, string> = {}) {
  const program = spawn(process.execPath, [MAIN, ...args], { env: { ...process.env, ...env } })
  const [out, errors, [code]] = await Promise.all([text(program.stdout), text(program.stderr), once(program, 'close')])
  return { out, errors, code }
}

test('a model that uses the tools well gets everything right within the budgets', async (t) => {
  const keys = new Set<string | undefined>()
  const url = await startStandIn(t, (request, authorization) => {
    keys.add(authorization)
    assert.equal(request.model, 'ideal')
    assert.deepEqual(request.tools.map(({ function: { name } }) => name).sort(), ['get_workspace', 'list_tasks'])
    return ideal(request)
  })
  const args = ['--model', 'ideal', '--base-url', `${url}/`, '--api-key-env', 'STAND_IN_KEY']
  const { out, errors, code } = await runProgram(args, { STAND_IN_KEY: 'secret' })
  assert.deepEqual([code, errors], [0, ''])
  assert.match(out, /^40 of 40 right, 40 of them within budget; \d+ calls, \d+ tokens$/m)
  assert.match(out, /^\| What is due today\? \| yes \| 1 \| \d+ \| ANSWER: \["task_.*\] \|$/m)
  assert.deepEqual([...keys], ['Bearer secret'])
})

test('the program exits with 1 if the endpoint failed, and with 2 if it is misused', async (t) => {
  const serving = spawn(process.execPath, [MAIN, '--serve'])
  t.after(() => serving.kill())
  const [line] = await once(serving.stdout, 'data')
  const served = String(line).trim().split(' ')
  const { out, code } = await runProgram(['--model', 'none', '--base-url', 'http://127.0.0.1:9', ...served])
  assert.equal(code, 1)
  assert.match(out, /^0 of 40 right/m)
  for (const args of [[], ['--model', 'm', '--url', 'http://127.0.0.1:9']]) {
    const misused = await runProgram(args)
    assert.deepEqual([misused.code, misused.out], [2, ''], args.join(' '))
    assert.match(misused.errors, /npm run questions -- --model NAME/)
  }
})
