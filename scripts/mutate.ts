/**
 * Plants small faults in source files, one at a time, and runs the tests that import the file: a fault that no test notices
 * is printed. `npm run mutate -- [--sample 5] [--seed 1] [--timeout 120] [--also 'test/web/*.test.ts'] src/keys`
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { globalSetup, globalTeardown } from '../test/global-setup.ts'

const root = join(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    timeout: { type: 'string', default: '120' },
    also: { type: 'string', default: '' },
  },
})
/** Tests that need minutes or a browser say little of one line, and the rest would wait for them. */
const LEFT_OUT = /^test\/(long|browser|clients|client|bench|proxies|openapi|deploy|faults|fuzz)\//

interface Mutant {
  file: string
  start: number
  end: number
  text: string
}

const COMPARISONS = { ' <= ': ' < ', ' < ': ' <= ', ' >= ': ' > ', ' > ': ' >= ', ' === ': ' !== ', ' !== ': ' === ' }
const REPLACED: Record<string, string> = {
  ...COMPARISONS,
  ' && ': ' || ',
  ' || ': ' && ',
  true: 'false',
  false: 'true',
}
const OPERATOR = / (?:<=?|>=?|===|!==|&&|\|\|) |\b(?:true|false)\b/g
/** A statement of one line: a throw, an early return of nothing, or a call that is waited for. */
const STATEMENT = /(?<=^ *|\) |else )(?:throw new .*|return(?: undefined)?|await [\w.#]+\(.*\))$/gm
const CONDITION = /(?<=\bif )\(.*\)(?= |$)/gm

/** Comments and plain texts say nothing to a test; SQL is in templates, and stays. Nothing moves. */
const masked = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*|'[^'\n]*'|^(?:import|export type|type) .*$/gm, (part) =>
    part.replace(/\S/g, '_'),
  )

function mutantsOf(file: string): Mutant[] {
  const text = masked(readFileSync(join(copy, file), 'utf8'))
  const all = (pattern: RegExp, by: (part: string) => string) =>
    [...text.matchAll(pattern)].map(({ 0: part, index }) => ({
      ...{ file, start: index, end: index + part.length },
      text: by(part),
    }))
  return [
    ...all(OPERATOR, (part) => REPLACED[part] ?? part),
    ...all(STATEMENT, () => 'void 0'),
    ...all(CONDITION, () => '(false)'),
  ]
}

/** The same few for the same seed, spread over the file. */
function sampled(mutants: Mutant[]): Mutant[] {
  const rank = ({ file, start, text }: Mutant) =>
    createHash('sha256').update(`${values.seed} ${file} ${start} ${text}`).digest('hex')
  return mutants.sort((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, Number(values.sample))
}

const tests = globSync('test/**/*.test.ts', { cwd: root, exclude: (name) => name.includes('node_modules') })

/** Those that import the file, then those of its subject. The wire is the subject of HTTP: its tests import nothing. */
function testsOf(file: string): string[] {
  const importing = tests.filter((test) => {
    const text = readFileSync(join(root, test), 'utf8')
    return [...text.matchAll(/ from '(\.[^']+)'/g)].some(([, name = '']) => join(dirname(test), name) === file)
  })
  const [, subject = ''] = file.split('/')
  const folders = subject === 'http' ? ['test/http/', 'test/contract/'] : [`test/${subject}/`]
  const near = importing.concat(tests.filter((test) => folders.some((folder) => test.startsWith(folder))))
  return [...new Set(near)].filter((test) => !LEFT_OUT.test(test))
}

const ENTRY = 'test/mutant.test.ts'
let endRun = () => {}

/**
 * Whether all tests pass in the copy. A run that takes too long counts as one that failed: the fault made it hang. A loop that never ends
 * handles no other signal than SIGKILL.
 */
function passes(copy: string, files: string[]): Promise<boolean> {
  const flags = ['--test', '--test-reporter=tap', '--test-global-setup=test/global-setup.ts']
  // In one process: each would load the same modules again.
  writeFileSync(join(copy, ENTRY), files.map((file) => `import '../${file}'\n`).join(''))
  const child = spawn(join(root, 'node_modules/.bin/node'), [...flags, ENTRY], {
    cwd: copy,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  return new Promise((resolve) => {
    const stop = () => process.kill(-(child.pid ?? 0), 'SIGKILL')
    endRun = stop
    const timer = setTimeout(stop, Number(values.timeout) * 1000)
    // The first failure is enough.
    child.stdout.on(
      'data',
      (chunk: Buffer) => void (/^ *not ok /m.test(String(chunk)) && child.exitCode === null && stop()),
    )
    child.once('close', (code) => {
      clearTimeout(timer)
      endRun = () => {}
      resolve(code === 0)
    })
  })
}

const files = positionals.flatMap((path) =>
  statSync(join(root, path)).isFile() ? [path] : globSync(`${relative('.', path)}/**/*.ts`, { cwd: root }),
)
const copy = mkdtempSync(join(tmpdir(), 'vitrine-mutants-'))
process.once('exit', () => {
  endRun()
  rmSync(copy, { recursive: true, force: true })
})
for (const name of [
  'src',
  'test',
  'bin',
  'contract',
  'docs',
  'examples',
  'scripts',
  'client',
  'deploy',
  'package.json',
])
  cpSync(join(root, name), join(copy, name), {
    recursive: true,
    filter: (path) => !path.endsWith('/node_modules'),
  })
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))

// One PostgreSQL for all runs: to start it takes longer than most of them.
await globalSetup()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => globalTeardown().finally(() => process.exit(1)))
const also = globSync(values.also, { cwd: root })
const survivors: string[] = []
let planted = 0
for (const file of files.sort()) {
  const own = testsOf(file)
  const whole = readFileSync(join(copy, file), 'utf8')
  for (const { start, end, text } of own.length === 0 ? [] : sampled(mutantsOf(file))) {
    writeFileSync(join(copy, file), whole.slice(0, start) + text + whole.slice(end))
    const place = `${file}:${whole.slice(0, start).split('\n').length}: ${whole.slice(start, end).split('\n')[0]} → ${text}`
    const survived = (await passes(copy, own)) && (also.length === 0 || (await passes(copy, also)))
    planted++
    if (survived) survivors.push(place)
    process.stdout.write(`${survived ? 'survived' : 'killed  '} ${place}\n`)
    writeFileSync(join(copy, file), whole)
  }
  if (own.length === 0) process.stdout.write(`no test  ${file}\n`)
}
process.stdout.write(`\n${planted - survivors.length} of ${planted} killed\n${survivors.join('\n')}\n`)
await globalTeardown()
