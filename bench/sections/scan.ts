import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createToken } from '../../src/lib/key-format.ts'
import type { BenchOptions } from '../harness/schedule.ts'
import { withTestbed } from '../harness/testbed.ts'
import { type Cost, measureCommand } from '../import/measure-command.ts'
import { median, ratios, spreadOf } from '../report/statistics.ts'
import { mib, table, withSpread } from '../report/table.ts'

export const title = 'Scan for keys'

const ROOT = join(import.meta.dirname, '../..')
const PROGRAM = join(ROOT, 'bin/vitrine')
const PATTERN = 'vtr_[0-9A-Za-z]{49}'
const KEY_IN_ONE_OF = 10

interface Tree {
  name: string
  folder: string
  files: number
  bytes: number
}

export const run = ({ quick, rounds = quick ? 3 : 11 }: BenchOptions): Promise<string> =>
  withTestbed(
    async ({ folder }) => {
      if (spawnSync('rg', ['--version']).status !== 0)
        return '**There is no `rg` on the PATH: this section was skipped.**'
      const scale = quick ? 0.1 : 1
      const trees = [
        writeTree(join(folder, 'small'), 'small files', 20_000 * scale, 1),
        writeTree(join(folder, 'large'), 'large files', 20 * scale, 5000),
      ]
      const parts = [how(trees)]
      for (const tree of trees) parts.push(await compare(tree, join(folder, 'empty'), rounds))
      return parts.join('\n\n')
    },
    { isPinned: false },
  )

/** Files of source code and prose, this project's own, each of so many of its files; some hold a key. */
function writeTree(folder: string, name: string, count: number, pieces: number): Tree {
  const texts = globSync(['src/**/*.ts', 'docs/*.md'], { cwd: ROOT }).map((file) =>
    readFileSync(join(ROOT, file), 'utf8'),
  )
  let bytes = 0
  for (let i = 0; i < count; i++) {
    const inner = join(folder, String(i % 100))
    mkdirSync(inner, { recursive: true })
    const text = Array.from({ length: pieces }, (_, j) => texts[(i * 7 + j) % texts.length]).join('')
    const holdsKey = i % Math.max(KEY_IN_ONE_OF, count / KEY_IN_ONE_OF) === 0
    const planted = holdsKey ? `${text}${createToken()}\n` : text
    bytes += Buffer.byteLength(planted)
    writeFileSync(join(inner, `${i}.txt`), planted)
  }
  return { name, folder, files: count, bytes }
}

const how = (trees: readonly Tree[]): string =>
  `\`vitrine scan\` against \`rg -uuu -a '${PATTERN}'\`, which searches for the same pattern without its checksum, without base64 and UTF-16. ` +
  'Both read everything from memory (the files were just written), `rg` with a thread for each core. The files are this project’s own sources and ' +
  `guides: ${trees.map(({ name, files, bytes }) => `${files.toLocaleString('en')} ${name} (${mib(bytes)} MiB)`).join(', ')}. Both must find the same keys.`

async function compare({ name, folder, bytes }: Tree, empty: string, rounds: number): Promise<string> {
  mkdirSync(empty, { recursive: true })
  const environment = { DATABASE_URL: 'sqlite:/nonexistent/vitrine.db' }
  const found = spawnSync('rg', ['-uuu', '-a', '-l', PATTERN, folder], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n').length
  const own = spawnSync(PROGRAM, ['scan', '--json', folder], {
    env: { ...process.env, ...environment },
    encoding: 'utf8',
  })
  const keys = JSON.parse(own.stdout).keys.length
  if (keys !== found) throw new Error(`vitrine found ${keys} keys, rg ${found}`)
  const commands: Record<string, () => Promise<Cost>> = {
    rg: () => measureCommand('rg', ['-uuu', '-a', PATTERN, folder]),
    'rg, one thread': () => measureCommand('rg', ['-j1', '-uuu', '-a', PATTERN, folder]),
    'vitrine scan': () => measureCommand(PROGRAM, ['scan', folder], environment, 1),
    'vitrine scan of an empty folder': () => measureCommand(PROGRAM, ['scan', empty], environment),
  }
  const costs = Object.keys(commands).map((): Cost[] => [])
  for (let round = 0; round < rounds; round++)
    for (const [index, measure] of Object.values(commands).entries()) costs[index]?.push(await measure())
  const figures = (index: number, key: keyof Cost) => (costs[index] ?? []).map((cost) => cost[key])
  const against = (index: number, key: keyof Cost) =>
    index === 0 ? '1' : withSpread(spreadOf(ratios(figures(index, key), figures(0, key))))
  return table(
    [`${name}, ${mib(bytes)} MiB`, 'wall time, s', 'against `rg`', 'CPU time, s', 'against `rg`', 'peak RSS MiB'],
    Object.keys(commands).map((command, index) => [
      command,
      median(figures(index, 'wallSeconds')).toFixed(2),
      against(index, 'wallSeconds'),
      median(figures(index, 'cpuSeconds')).toFixed(2),
      against(index, 'cpuSeconds'),
      mib(median(figures(index, 'peakRssBytes'))),
    ]),
  )
}
