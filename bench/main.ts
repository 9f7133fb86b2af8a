/** Vitrine, its peers and a bare server side by side: `npm run bench`. docs/performance.md says how, decision 0020 why. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cores, describeMachine, UnsupportedMachine, unpin } from './harness/machine.ts'
import type { BenchOptions } from './harness/schedule.ts'
import { installPeers } from './peers/install.ts'
import { quickSections, type Section, sections } from './sections/index.ts'

const SECTION_TIMEOUT_MS = 1_200_000
const RESULTS = join(import.meta.dirname, 'results.md')
const USAGE = `npm run bench -- [--quick] [--publish] [--only ${Object.keys(sections).join(',')}]
                 [--servers bare,vitrine,…] [--rounds N] [--seconds N]
`

function readArguments() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      publish: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      only: { type: 'string' },
      servers: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
    },
  })
  const list = (text: string | undefined) => text?.split(',').map((name) => name.trim())
  const only = list(values.only) ?? (values.quick ? quickSections : undefined)
  const unknown = only?.find((name) => !Object.hasOwn(sections, name))
  if (unknown !== undefined) throw new Error(`there is no section ${unknown}`)
  const servers = list(values.servers)
  const options: BenchOptions = {
    quick: values.quick,
    ...(servers !== undefined && { servers }),
    ...(values.rounds !== undefined && { rounds: positive('--rounds', values.rounds) }),
    ...(values.seconds !== undefined && { roundSeconds: positive('--seconds', values.seconds) }),
  }
  if (values.publish && (only !== undefined || Object.keys(options).length > 1))
    throw new Error('only a whole run can be published')
  return { ...values, only, options }
}

function positive(name: string, text: string): number {
  const number = Number(text)
  if (!(number > 0)) throw new Error(`${name} needs a number above 0`)
  return number
}

/** A section that fails or hangs is reported, and the others still run. */
async function runSection({ title, run }: Section, options: BenchOptions): Promise<string> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const startedAt = Date.now()
  const timer = setTimeout(() => reject(new Error('it took too long')), SECTION_TIMEOUT_MS)
  try {
    return `## ${title}\n\n${await Promise.race([run(options), timeout])}\n`
  } catch (error) {
    if (error instanceof UnsupportedMachine) throw error
    process.exitCode = 1
    return `## ${title}\n\nThis section failed: ${error instanceof Error ? error.message : error}\n`
  } finally {
    clearTimeout(timer)
    unpin()
    process.stderr.write(`${title}: ${((Date.now() - startedAt) / 1000).toFixed(0)} s\n`)
  }
}

async function main(): Promise<void> {
  const { help, only, options, publish } = readArguments()
  if (help) {
    process.stdout.write(USAGE)
    return
  }
  const { server, load } = cores()
  const needsPeers = options.servers?.every((name) => ['bare', 'vitrine'].includes(name)) !== true
  if (needsPeers) installPeers()
  const startedAt = Date.now()
  const parts: string[] = []
  const tell = (part: string) => {
    parts.push(part)
    process.stdout.write(`${part}\n`)
  }
  tell(
    `A ${options.quick ? 'quick' : 'full'} run on ${new Date().toISOString().slice(0, 10)}: ${describeMachine()}. ` +
      `Servers on core ${server}, the load on core ${load}.\n`,
  )
  for (const [name, section] of Object.entries(sections))
    if (only === undefined || only.includes(name)) tell(await runSection(section, options))
  tell(`It took ${Math.round((Date.now() - startedAt) / 1000)} s.\n`)
  if (publish) writeFileSync(RESULTS, `# Results of the bench\n\n${parts.join('\n')}`)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
try {
  await main()
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
process.exit()
