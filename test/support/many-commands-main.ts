/** Runs commands one after the other, since to start a process for each takes longer than most of them; prints their outcomes. */
import { json } from 'node:stream/consumers'
import { run } from '../../src/cli/program.ts'
import type { Outcome } from './program.ts'

const commands = (await json(process.stdin)) as string[][]
const resources = import.meta.resolve('../../src/resources/index.ts')
const outcomes: Outcome[] = []
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0)
const print = process.stdout.write.bind(process.stdout)
for (const words of commands) {
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    process[name].write = (text: Uint8Array | string, ...rest: unknown[]) => {
      written[name] += text
      const done = rest.at(-1)
      if (typeof done === 'function') done()
      return true
    }
  process.exitCode = 0
  await run(resources, ['node', 'vitrine', ...words])
  outcomes.push({ code: Number(process.exitCode), ...written })
}
process.exitCode = 0
print(JSON.stringify(outcomes))
