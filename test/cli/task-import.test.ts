import assert from 'node:assert/strict'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { acmeProgram } from '../support/program.ts'
import { storedRows } from '../support/written-lists.ts'
import { feed } from './sync-program.ts'

/** The program with a database and the workspace acme. */
async function acme(t: TestContext) {
  const vitrine = await acmeProgram(t)
  const temporaries = join(vitrine.folder, 'tmp')
  mkdirSync(temporaries)
  return {
    ...vitrine,
    temporaries,
    /** Starts an import that reads from a pipe. */
    feed(...options: string[]) {
      const workspace = options.includes('--workspace') ? [] : ['--workspace', 'acme']
      const words = ['task', 'import', ...workspace, ...options]
      return feed(t, vitrine, words, { TMPDIR: temporaries, SQLITE_TMPDIR: temporaries })
    },
    async tasks(): Promise<string[]> {
      return (await storedRows({ all: vitrine.query })).map(({ id, title }) => `${id} ${title}`)
    },
    import: (file: string) => vitrine.run('task', 'import', '--workspace', 'acme', file),
  }
}

/** Enough to fill the pipe many times over: once it is written, most of it was read. */
async function writeMany(child: ChildProcessWithoutNullStreams): Promise<number> {
  const count = 20_000
  const lines = Array.from(
    { length: count },
    (_, i) => `{"id":"${i}","title":"Task ${i}","details":"${'x'.repeat(200)}"}\n`,
  )
  await new Promise((resolve) => child.stdin.write(lines.join(''), resolve))
  return count
}

test('- reads the tasks from stdin; an empty input is refused, an empty array imports 0 tasks', async (t) => {
  const vitrine = await acme(t)
  const given = (input: string, ...options: string[]) => {
    const { child, outcome } = vitrine.feed(...options)
    child.stdin.end(input)
    return outcome
  }
  const counts = '{"created":1,"replaced":0,"deleted":0,"unchanged":0}\n'
  assert.deepEqual(await given('{"id":"a","title":"One"}\n', '--json'), { code: 0, stdout: counts, stderr: '' })
  assert.deepEqual(await vitrine.tasks(), ['a One'])
  const none = 'Imported 0 tasks into acme: the file has no records.\n'
  assert.deepEqual(await given('[]'), { code: 0, stdout: '', stderr: none })
  // The writer has failed.
  const refusal = 'vitrine: nothing was imported: the input is empty; for no tasks, pass an empty array, []\n'
  assert.deepEqual(await given(''), { code: 1, stdout: '', stderr: refusal })
  assert.equal((await vitrine.import(vitrine.writeFile('empty.csv', ' \n'))).stderr, refusal)
})

test('every bad line is reported by its number, then that nothing was imported; the exit code is 1', async (t) => {
  const vitrine = await acme(t)
  const path = vitrine.writeFile(
    'tasks.ndjson',
    '{"id":"a","title":"One"}\n{"id":"b","title":"Two","dueAt":"2026-02-30T09:00:00Z","colour":"red"}\n{"id":""}\n{"id":"c",\n{"id":"d","title":"Four"}\n\n[]\n',
  )
  const traces = () =>
    Promise.all(['list_items', 'revisions', 'audit'].map((name) => vitrine.query(`SELECT * FROM ${name}`)))
  const before = await traces()
  assert.deepEqual(await vitrine.import(path), {
    code: 1,
    stdout: '',
    stderr: [
      'line 2, id b: colour is not a known field; dueAt must be a valid date and time with an offset, such as 2026-11-15T09:00:00Z',
      'line 3: id must not be empty; title is required',
      'line 4: the record is not JSON: Expected double-quoted property name in JSON at position 10',
      'line 7: the record must be an object',
      'vitrine: nothing was imported: 4 bad records',
      '',
    ].join('\n'),
  })
  assert.deepEqual(await traces(), before)
})

test("a bad file's contents can neither control the terminal nor flood it", async (t) => {
  const vitrine = await acme(t)
  const hostile = JSON.stringify({ id: 'a', title: 'One', '\u001b[2J': 1 })
  const long = JSON.stringify({ id: 'a', title: 'One', ['x'.repeat(100_000)]: 1 })
  const { stderr } = await vitrine.import(vitrine.writeFile('bad.ndjson', `${hostile}\n${long}\n`))
  const [first, second = ''] = stderr.split('\n')
  assert.equal(first, 'line 1, id a: \uFFFD[2J is not a known field')
  assert.match(second, /^line 2, id a: x{1000}…$/)
})

test('a key is revoked immediately while an import still waits for the rest of its input', async (t) => {
  const vitrine = await acme(t)
  const { id } = await vitrine.createKey()
  const { child, outcome } = vitrine.feed()
  const count = await writeMany(child)
  assert.equal((await vitrine.run('key', 'revoke', id)).code, 0)
  assert.equal(child.exitCode, null)
  child.stdin.end()
  assert.equal((await outcome).code, 0)
  assert.equal((await vitrine.tasks()).length, count)
})
