import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { skipWithout } from '../support/installed-program.ts'
import { type AcmeProgram, acmeProgram, PROGRAM } from '../support/program.ts'

const ESCAPE = '\x1b'

/** A command's output in a terminal, without the carriage returns that the terminal adds. */
function onTerminal(vitrine: AcmeProgram, words: string, more: Record<string, string> = {}): string {
  const command = `${PROGRAM} ${words}`
  const env = { ...vitrine.env, TERM: 'xterm-256color', ...more }
  const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], { cwd: vitrine.folder, env, encoding: 'utf8' })
  return stdout.replaceAll('\r\n', '\n')
}

const marked = (code: number, text: string, end: number) => `${ESCAPE}[${code}m${text}${ESCAPE}[${end}m`
const NOPE = " no workspace has the slug nope; 'vitrine workspace list' shows them\n"

test('on a terminal, headings and faults are highlighted', skipWithout('script'), async (t) => {
  const vitrine = await acmeProgram(t)
  const [head = ''] = onTerminal(vitrine, 'workspace list').split('\n')
  assert.equal(head, marked(1, head.slice(4, -5), 22))
  assert.equal(onTerminal(vitrine, 'workspace archive nope'), marked(31, 'vitrine:', 39) + NOPE)
  const misused = onTerminal(vitrine, 'workspace list --nope')
  assert.ok(misused.startsWith(`${marked(31, 'error:', 39)} unknown option '--nope'\n`), misused)
})

test(
  'no colours with NO_COLOR or on a dumb terminal, and each stream is checked separately',
  skipWithout('script'),
  async (t) => {
    const vitrine = await acmeProgram(t)
    for (const more of [{ NO_COLOR: '1' }, { TERM: 'dumb' }])
      assert.equal(onTerminal(vitrine, 'workspace archive nope', more), `vitrine:${NOPE}`)
    const errors = join(vitrine.folder, 'errors')
    const both = `workspace list 2> ${errors}; ${PROGRAM} workspace archive nope 2>> ${errors}`
    assert.ok(onTerminal(vitrine, both).includes(ESCAPE))
    assert.equal(readFileSync(errors, 'utf8'), `vitrine:${NOPE}`)
  },
)
