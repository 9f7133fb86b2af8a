/** Entry of a process that runs many commands one after the other: most of a command's time is the start of its process. */
import { readFileSync } from 'node:fs'
import { run } from '../../src/cli/program.ts'
import type { Outcome } from './program.ts'

const [, , file = ''] = process.argv
const commands: string[][] = JSON.parse(readFileSync(file, 'utf8'))
// Each command begins to listen to signals and to its output.
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0)

const streams = { stdout: process.stdout, stderr: process.stderr }
const write = process.stdout.write.bind(process.stdout)
const outcomes: Outcome[] = []
for (const words of commands) {
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    streams[name].write = (text: string | Uint8Array) => {
      printed[name] += text
      return true
    }
  process.exitCode = undefined
  await run(import.meta.resolve('../../src/resources/index.ts'), [process.execPath, 'vitrine', ...words])
  outcomes.push({ code: Number(process.exitCode ?? 0), ...printed })
}
process.exitCode = 0
write(JSON.stringify(outcomes))
