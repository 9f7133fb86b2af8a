// Run once: a guide is followed once, as it is written.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readyMaps } from '../../src/import/map/load-map.ts'
import { type DocumentedBlock, documentedBlocks } from '../support/documented.ts'
import { serveExport, writeSamples } from '../support/filling-guide.ts'
import { PROGRAM, program } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PAGE = 'docs/filling.md'
const INSTALLED = '/opt/vitrine'
const blocks = documentedBlocks(PAGE)
const unitsOf = ({ text }: DocumentedBlock) => /^# \/etc\/systemd\/system\/(\S+)\n/.exec(text)?.[1]

/** A shell in a folder like the reader's: the program, the exports that the guide names, and a tracker to ask. */
async function openShell(t: TestContext) {
  const vitrine = program(t)
  await vitrine.run('workspace', 'list')
  const { folder } = vitrine
  mkdirSync(join(folder, 'bin'))
  symlinkSync(PROGRAM, join(folder, 'bin/vitrine'))
  writeSamples(folder)
  const { url, token } = await serveExport(t)
  const env = { ...vitrine.env, PATH: `${folder}:${vitrine.env.PATH}`, TRACKER_TOKEN: token }
  const here = (text: string) => text.replaceAll('https://tracker.example', url).replaceAll(INSTALLED, folder)
  const exported: string[] = []

  async function run(text: string, stopAt?: RegExp): Promise<{ printed: string; status: number }> {
    // Messages and results in one stream, as on a terminal. What an earlier block exported is still there.
    const script = ['exec 2>&1', ...exported, stopAt === undefined ? here(text) : `exec ${here(text)}`].join('\n')
    const child = spawn('sh', ['-e', '-c', script], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    let printed = ''
    let isStopped = false
    for await (const chunk of child.stdout) {
      printed += chunk
      // A second signal would end it at once.
      if (!isStopped && stopAt?.test(printed)) isStopped = child.kill('SIGTERM')
    }
    const [status] = await exited
    exported.push(...(text.match(/^export .*$/gm) ?? []))
    return { printed, status }
  }

  return {
    here,
    /** Runs commands as somebody would who pastes them into a shell; gives what they print. Those that repeat are stopped. */
    async paste(text: string, expected = 0): Promise<string> {
      const { printed, status } = await run(text, text.includes('--every') ? /Synced \d/ : undefined)
      assert.equal(status, expected, `${text}\n${printed}`)
      return printed
    },
  }
}

test('every command of the guide runs as it is shown, one after the other, and prints what is shown', async (t) => {
  const shell = await openShell(t)
  let commands = 0
  for (const [i, { language, text, line }] of blocks.entries()) {
    const next = blocks[i + 1]
    const shown = next?.language === 'text' ? next.text : ''
    const run = { sh: [text], crontab: cronCommands(text), ini: startedBy(text), text: [], json: [] }[language]
    assert.ok(run, `${PAGE}:${line}: a block of ${language} is neither run nor compared`)
    for (const command of run) {
      // A failure that the guide shows on purpose.
      const printed = await shell.paste(command, /^(vitrine:|FAIL) /m.test(shown) ? 1 : 0)
      assert.match(printed, asPattern(shell.here(shown)), `${PAGE}:${line} shows\n${shown}\nand prints\n${printed}`)
      commands++
    }
  }
  assert.ok(commands > 15)
})

/** Whole lines, in which … stands for anything. */
const asPattern = (shown: string): RegExp =>
  new RegExp(`^${shown.trimEnd().split('…').map(RegExp.escape).join('.*')}$`, 'm')

/** What follows the five fields of time, or a name such as @hourly. */
const cronCommands = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => /^[\d*@]/.test(line))
    .map((line) => line.replace(/^(@\w+|(\S+ +){5})/, ''))

/** What systemd starts, with the environment of the unit; the database is the test's. */
function startedBy(text: string): string[] {
  const settings = [...text.matchAll(/^Environment=(?!DATABASE_URL)(\S+)$/gm)].map(([, setting = '']) =>
    setting.replace('%d', `${INSTALLED}/credentials`).replace('%C', `${INSTALLED}/cache`),
  )
  return [...text.matchAll(/^ExecStart=(.*)$/gm)].map(([, command]) => ['env', ...settings, command].join(' '))
}

test('the guide shows every ready map', async () => {
  const commands = blocks.map(({ text }) => text).join('')
  for (const name of await readyMaps()) assert.ok(commands.includes(` --map ${name} `), name)
})

test('systemd understands the units of the guide', async (t) => {
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) return t.skip('no systemd-analyze on this machine')
  const folder = temporaryFolder(t)
  const units = blocks.filter((block) => unitsOf(block) !== undefined)
  assert.ok(units.length >= 3)
  const files = units.map((block) => {
    const file = join(folder, basename(unitsOf(block) ?? ''))
    // It looks for the program, which lies elsewhere here.
    writeFileSync(file, block.text.replaceAll(`${INSTALLED}/bin/vitrine`, PROGRAM))
    return file
  })
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], {
    encoding: 'utf8',
  })
  assert.equal(`${stdout}${stderr}`.replaceAll(folder, ''), '')
  assert.equal(status, 0)
})
