import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { acmeProgram, program } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SHOWN = "; 'vitrine workspace list' shows them"

test('with --json an error is one line of JSON, whatever reports it', async (t) => {
  const vitrine = await acmeProgram(t)
  const KEY = `vtr_${'a1B2'.repeat(13)}`
  const cases: [words: string[], code: string, message: string][] = [
    [['workspace', 'archive'], 'usage', "missing required argument 'slug'"],
    [['frobnicate'], 'usage', "unknown command 'frobnicate'"],
    [['workspace', 'list', '--jsno'], 'usage', "unknown option '--jsno' (Did you mean --json?)"],
    [['serve', '--port', '8080'], 'usage', "unknown option '--port'"],
    [['key', 'create', '--workspace', 'acme', '--label', ''], 'usage', '--label: must not be empty'],
    [['workspace', 'archive', 'a\nb"'], 'failed', `no workspace has the slug a\uFFFDb"${SHOWN}`],
    // A key that was typed in the wrong place is not repeated.
    [['workspace', 'list', `--${KEY}`], 'usage', "unknown option '--vtr_[redacted]'"],
    [
      ['key', 'pause', KEY],
      'failed',
      "no key has the id vtr_[redacted]; 'vitrine key list --workspace SLUG' shows the ids",
    ],
  ]
  for (const [words, code, message] of cases) {
    const stderr = `${JSON.stringify({ error: { message, code } })}\n`
    assert.deepEqual(await vitrine.run(...words, '--json'), { code: code === 'usage' ? 2 : 1, stdout: '', stderr })
  }
})

test('an unexpected failure is JSON too, without a key', async (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'resources.mjs'), `throw new Error('it broke at vtr_${'a1B2'.repeat(13)}')`)
  const outcome = await program(t, {}, `file://${folder}/resources.mjs`).run('workspace', 'list', '--json')
  const message = 'unexpected failure: it broke at vtr_[redacted]'
  assert.deepEqual(outcome, {
    code: 1,
    stdout: '',
    stderr: `${JSON.stringify({ error: { message, code: 'failed' } })}\n`,
  })
})
