/** The process of command-process.ts. */
import { run } from '../../src/cli/program.ts'
import type { Command } from './command-process.ts'

// Each command begins to listen to signals and to its output.
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0)

const published = import.meta.resolve('../../src/resources/index.ts')

async function perform({ words, env, folder, resources = published }: Command) {
  process.chdir(folder)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    process[name].write = (text: string | Uint8Array, ...more: unknown[]) => {
      printed[name] += text
      const done = more.at(-1)
      if (typeof done === 'function') done()
      return true
    }
  process.exitCode = undefined
  await run(resources, [process.execPath, 'vitrine', ...words])
  const code = Number(process.exitCode ?? 0)
  process.exitCode = 0
  return { code, ...printed }
}

process.once('disconnect', () => process.exit())

let last: Promise<unknown> = Promise.resolve()
process.on('message', (command: Command) => {
  last = last.then(async () => process.send?.(await perform(command)))
})
