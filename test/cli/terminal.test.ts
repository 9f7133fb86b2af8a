import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { skipWithout } from '../support/installed-program.ts'
import { type AcmeProgram, acmeProgram, PROGRAM } from '../support/program.ts'

const ESCAPE = '\x1b'

/** A command's output in a terminal with this many columns, without the carriage returns that the terminal adds. */
function onTerminal(vitrine: AcmeProgram, columns: number, words: string, more: Record<string, string> = {}): string {
  const command = `stty cols ${columns}; ${PROGRAM} ${words}`
  const env = { ...vitrine.env, TERM: 'xterm-256color', ...more }
  const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], { cwd: vitrine.folder, env, encoding: 'utf8' })
  return stdout.replaceAll('\r\n', '\n')
}

const marked = (code: number, text: string, end: number) => `${ESCAPE}[${code}m${text}${ESCAPE}[${end}m`
const NOPE = " no workspace has the slug nope; 'vitrine workspace list' shows them\n"

test('on a terminal, tables fit, and headings and faults are highlighted', skipWithout('script'), async (t) => {
  const vitrine = await acmeProgram(t)
  const title = '東京の購買チームへ、とても長い題名を送る'
  const task = { id: 't1', title, dueAt: '2026-11-15T09:00:00Z' }
  vitrine.writeFile('one.ndjson', `${JSON.stringify(task)}\n`)

  await vitrine.ok('task', 'import', '--workspace', 'acme', 'one.ndjson')
  const [head = '', row = ''] = onTerminal(vitrine, 70, 'task list --workspace acme').split('\n')
  assert.equal(head, marked(1, head.slice(4, -5), 22))
  assert.match(row, /^t1 .*current {2}東京.*…$/)
  assert.ok(onTerminal(vitrine, 200, 'task list --workspace acme').includes(title))

  assert.equal(onTerminal(vitrine, 80, 'workspace archive nope'), marked(31, 'vitrine:', 39) + NOPE)
  const misused = onTerminal(vitrine, 80, 'workspace list --nope')
  assert.ok(misused.startsWith(`${marked(31, 'error:', 39)} unknown option '--nope'\n`), misused)
  const narrow = onTerminal(vitrine, 30, 'workspace list').split('\n')
  assert.equal(narrow[0], `${marked(1, 'SLUG    ', 22)}  acme`)
})

test(
  'no colours with NO_COLOR or on a dumb terminal, and each stream is checked separately',
  skipWithout('script'),
  async (t) => {
    const vitrine = await acmeProgram(t)
    for (const more of [{ NO_COLOR: '1' }, { TERM: 'dumb' }])
      assert.equal(onTerminal(vitrine, 80, 'workspace archive nope', more), `vitrine:${NOPE}`)
    // An empty NO_COLOR does not count.
    assert.ok(onTerminal(vitrine, 80, 'workspace archive nope', { NO_COLOR: '' }).startsWith(ESCAPE))

    const errors = join(vitrine.folder, 'errors')
    const both = `workspace list 2> ${errors}; ${PROGRAM} workspace archive nope 2>> ${errors}`
    assert.ok(onTerminal(vitrine, 80, both).includes(ESCAPE))
    assert.equal(readFileSync(errors, 'utf8'), `vitrine:${NOPE}`)
  },
)

test('piped output has no escapes, unless FORCE_COLOR asks for them', async (t) => {
  const vitrine = await acmeProgram(t)
  const list = await vitrine.ok('workspace', 'list')
  assert.match(list, /^SLUG {2}NAME {2}TIMEZONE/)
  assert.ok(!list.includes(ESCAPE))
  vitrine.env.FORCE_COLOR = '1'
  assert.ok((await vitrine.ok('workspace', 'list')).startsWith(`${ESCAPE}[1mSLUG`))
})
