/**
 * Where the time of a command goes that does next to nothing, the import of one task: the last figures of docs/decisions/0020-how-speed-is-measured.md.
 * `node_modules/.bin/node bench/start-up.ts [--rounds 15] [CHECKOUT…]`
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { describeMachine } from './harness/machine.ts'
import { cpuSecondsOfChildren } from './harness/process-stats.ts'
import { withTestbed } from './harness/testbed.ts'
import { median } from './report/statistics.ts'
import { table } from './report/table.ts'

/** The kernel counts what children spent in hundredths of a second: one run alone could not be told from the next. */
const RUNS_A_ROUND = 5
const SLUG = 'bench'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '15' } },
})
const checkouts = (positionals.length > 0 ? positionals : ['.']).map((folder) => resolve(folder))

/** Each step does what the one before it does, and more: the difference is its own cost. */
interface Step {
  name: string
  command: string[]
  env?: Record<string, string>
}

function stepsOf(checkout: string, folder: string): Step[] {
  const runtime = join(checkout, 'node_modules/.bin/node')
  const task = ['task', 'import', '--workspace', SLUG, join(folder, 'one.ndjson')]
  const parser = 'node_modules/commander/index.js'
  const modules = [
    'cli/program.ts',
    'resources/index.ts',
    // Older checkouts have it beside the program.
    existsSync(join(checkout, 'src/cli/import.ts')) ? 'cli/import.ts' : 'cli/commands/row/import.ts',
    'database/sqlite/operator-store.ts',
  ]
  const loading = (name: string, files: string[]) => {
    const script = join(folder, `${name}.mjs`)
    const urls = files.map((file) => pathToFileURL(join(checkout, file)).href)
    writeFileSync(script, urls.map((url) => `await import(${JSON.stringify(url)})\n`).join(''))
    return [runtime, script]
  }
  const main = [runtime, join(checkout, 'src/cli/main.ts'), ...task]
  return [
    { name: 'the runtime, with an empty module', command: loading('empty', []) },
    { name: 'commander, and what it needs of the runtime', command: loading('parser', [parser]) },
    {
      name: "the command's own modules, and what they need of the runtime",
      command: loading('own', [parser, ...modules.map((file) => `src/${file}`)]),
    },
    { name: 'the work: open, read, store, close, exit', command: main },
    { name: 'the launcher', command: [join(checkout, 'bin/vitrine'), ...task] },
    {
      name: 'more, without a compile cache',
      command: [join(checkout, 'bin/vitrine'), ...task],
      env: { NODE_DISABLE_COMPILE_CACHE: '1' },
    },
  ]
}

function prepare(checkout: string, folder: string) {
  mkdirSync(folder)
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    DATABASE_URL: `sqlite:${join(folder, 'vitrine.db')}`,
    NODE_COMPILE_CACHE: join(folder, 'compile-cache'),
  }
  let imported = 0
  const run = ([file = '', ...args]: string[], more: Record<string, string> = {}): void => {
    // Another title each time: an import that changes nothing would do less.
    writeFileSync(join(folder, 'one.ndjson'), `{"id":"task_1","title":"Confirm the order, line ${++imported}"}\n`)
    const { status, stderr } = spawnSync(file, args, { env: { ...env, ...more }, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}: ${stderr}`)
  }
  run([join(checkout, 'bin/vitrine'), 'workspace', 'create', '--name', 'Bench', '--slug', SLUG])
  return { name: basename(checkout), run, steps: stepsOf(checkout, folder) }
}

const results = await withTestbed(async (testbed) => {
  const programs = checkouts.map((checkout, i) => prepare(checkout, join(testbed.folder, String(i))))
  const costsMs = programs.map(({ steps }) => steps.map((): number[] => []))
  // The first round only fills the compile caches.
  for (let round = 0; round <= Number(values.rounds); round++)
    for (const [i, { run, steps }] of programs.entries())
      for (const [j, { command, env }] of steps.entries()) {
        const before = cpuSecondsOfChildren()
        for (let k = 0; k < RUNS_A_ROUND; k++) run(command, env)
        if (round > 0) costsMs[i]?.[j]?.push(((cpuSecondsOfChildren() - before) * 1000) / RUNS_A_ROUND)
      }
  const ms = costsMs.map((steps) => steps.map(median))
  const names = programs[0]?.steps.map(({ name }) => name) ?? []
  const cell = (i: number, j: number) => ((ms[i]?.[j] ?? 0) - (ms[i]?.[j - 1] ?? 0)).toFixed(0)
  const whole = names.length - 2
  const row = (name: string, j: number) => [name, ...programs.map((_, i) => cell(i, j))]
  const rows = names.map(row)
  rows.splice(whole + 1, 0, ['**all of it**', ...ms.map((steps) => `**${steps[whole]?.toFixed(0)}**`)])
  return table(['CPU ms', ...programs.map(({ name }) => name)], rows)
})
process.stdout.write(`${describeMachine()}; medians of ${values.rounds} rounds\n\n${results}\n`)
