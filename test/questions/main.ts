/** Puts the questions to a model and prints its score. */
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import type { EndpointName, Server } from '../support/tool-calls.ts'
import { withFrozenService } from './frozen-service.ts'
import { budgets, questions } from './questions.ts'
import { run } from './runner.ts'
import { scenarios, World } from './world.ts'

const USAGE = `npm run questions -- --model NAME [--base-url https://api.openai.com/v1] [--api-key-env OPENAI_API_KEY]
                     [--protocol 2026-07-28|2025-03-26] [--url URL --key KEY]
npm run questions -- --serve

Without --url, the runner starts the service with the frozen workspace. --serve starts only that, for other agents.
`
const SCENARIO = 'New York'
const protocols: Record<string, EndpointName> = {
  '2025-03-26': '2025-03-26 on /mcp',
  '2026-07-28': '2026-07-28 on /v2/mcp',
}

function readArguments() {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: {
      ...{ url: text, key: text, model: text, serve: { type: 'boolean', default: false } },
      'base-url': { ...text, default: 'https://api.openai.com/v1' },
      'api-key-env': { ...text, default: 'OPENAI_API_KEY' },
      protocol: { ...text, default: '2026-07-28' },
    },
  })
  const endpoint = protocols[values.protocol]
  if (endpoint === undefined) throw new Error(`--protocol must be ${Object.keys(protocols).join(' or ')}`)
  if ((values.url === undefined) !== (values.key === undefined)) throw new Error('--url and --key need each other')
  if (values.model === undefined && !values.serve) throw new Error('--model is missing')
  return { ...values, endpoint }
}

type Given = Omit<ReturnType<typeof readArguments>, 'url' | 'key'>
const print = (line: string) => process.stdout.write(`${line}\n`)

async function serve({ url, key }: Server): Promise<void> {
  print(`--url ${url} --key ${key}`)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
}

async function score({ model = '', endpoint, ...given }: Given, server: Server) {
  const apiKey = process.env[given['api-key-env']]
  const chat = { baseUrl: given['base-url'].replace(/\/$/, ''), model, ...(apiKey && { apiKey }) }
  const total = { right: 0, frugal: 0, calls: 0, tokens: 0 }
  print('| question | right | calls | tokens | response |\n| --- | --- | --: | --: | --- |')
  for await (const each of run(chat, server, endpoint, new World(scenarios[SCENARIO]))) {
    const { question, isRight, calls, tokens } = each
    const said = each.said.trim().split('\n').at(-1)?.slice(0, 120)
    print(`| ${question.ask} | ${isRight ? 'yes' : 'no'} | ${calls} | ${tokens} | ${said} |`)
    total.right += Number(isRight)
    total.frugal += Number(isRight && calls <= 2 && tokens < budgets[question.budget])
    total.calls += calls
    total.tokens += tokens
    if (each.isFault) process.exitCode = 1
  }
  const { right, frugal, calls, tokens } = total
  print(`\n${right} of ${questions.length} right, ${frugal} of them within budget; ${calls} calls, ${tokens} tokens`)
}

try {
  const { url, key, ...given } = readArguments()
  if (given.serve) await withFrozenService(SCENARIO, serve)
  else if (url !== undefined && key !== undefined) await score(given, { url, key })
  else await withFrozenService(SCENARIO, (server) => score(given, server))
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n\n${USAGE}`)
  process.exitCode = 2
}
