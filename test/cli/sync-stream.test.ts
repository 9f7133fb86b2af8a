import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { testOnce } from '../support/database.ts'
import { acmeProgram } from '../support/program.ts'
import { syncOf, syncProgram } from '../support/sync-program.ts'
import { counts } from '../support/syncing.ts'
import { waitUntil } from '../support/wait.ts'

const recorded = (name: string) => readFileSync(join(import.meta.dirname, '../import/streams', `${name}.jsonl`), 'utf8')

const lines = (...messages: object[]) => messages.map((message) => `${JSON.stringify(message)}\n`).join('')
const task = (id: string, title = `Task ${id}`) => ({ id, title })
const schema = (stream = 'tasks') => ({ type: 'SCHEMA', stream, schema: {}, key_properties: ['id'] })
const record = (id: string, more = {}, stream = 'tasks') => ({ type: 'RECORD', stream, record: task(id), ...more })
const activate = (version: number, stream = 'tasks') => ({ type: 'ACTIVATE_VERSION', stream, version })
const state = (value: unknown) => ({ type: 'STATE', value })
const data = (id: string, stream = 'tasks', namespace?: string) => ({
  type: 'RECORD',
  record: { stream, namespace, data: task(id), emitted_at: 1794902400000 },
})
const status = (word: string, name = 'tasks', namespace?: string) => ({
  type: 'TRACE',
  trace: { type: 'STREAM_STATUS', stream_status: { stream_descriptor: { name, namespace }, status: word } },
})
const streamState = (cursor: string, name = 'tasks') => ({
  type: 'STATE',
  state: { type: 'STREAM', stream: { stream_descriptor: { name }, stream_state: { cursor } } },
})

async function start(t: TestContext, format: 'singer' | 'airbyte') {
  const vitrine = await syncProgram(t, 'tap')
  const run = (...more: string[]) => vitrine.sync('--format', format, ...more)
  return {
    ...vitrine,
    run,
    sync: (stream: string, ...more: string[]) => run(...more, vitrine.writeFile('stream.jsonl', stream)),
    /** Runs a program that prints the stream, and copies the state that it got to the file `given`. */
    async exec(stream: string, { exit = 0, takes = '--state {state}', more = [] as string[] } = {}) {
      vitrine.writeFile('next.jsonl', stream)
      vitrine.writeFile('tap.sh', `cp "$2" given 2>/dev/null\ncat next.jsonl\nexit $(cat exit)\n`)
      vitrine.writeFile('exit', `${exit}`)
      return run('--exec', `sh tap.sh ${takes}`, ...more)
    },
    given: () => JSON.parse(readFileSync(join(vitrine.folder, 'given'), 'utf8')),
    state: async () => JSON.parse((await vitrine.column('SELECT state FROM sources'))[0] ?? 'null'),
  }
}

testOnce('records of a tap that does not report completeness are added and changed, and none is removed', async (t) => {
  const { sync, ids, state: kept, column } = await start(t, 'singer')
  assert.deepEqual(await sync(lines(schema(), record('a'), record('b'), state({ at: 1 }))), counts(2, 0, 0, 0))
  const changed = { ...record('b'), record: task('b', 'Another title') }
  assert.deepEqual(await sync(lines(schema(), changed, record('c'), state({ at: 2 }))), counts(1, 1, 0, 0))
  assert.deepEqual(await ids(), ['a', 'b', 'c'])
  assert.deepEqual(await kept(), { state: { at: 2 }, stream: 'tasks' })
  assert.deepEqual((await column('SELECT row_count FROM sources')).map(Number), [3])
})

test('a state without records is kept, and so is the last state of a tap that sends none', async (t) => {
  const { exec, ids, given, state: kept } = await start(t, 'singer')
  await exec(lines(schema(), record('a'), state({ at: 1 })))
  assert.deepEqual(given(), {})
  assert.deepEqual(await exec(lines(schema(), state({ at: 2 }))), counts(0, 0, 0, 0))
  assert.deepEqual(given(), { at: 1 })
  assert.deepEqual(await exec(lines(schema())), counts(0, 0, 0, 0))
  assert.deepEqual(given(), { at: 2 })
  assert.deepEqual(await kept(), { state: { at: 2 }, stream: 'tasks' })
  assert.match(await exec(''), /nothing was synced: the snapshot has no tasks/)
  assert.deepEqual(await ids(), ['a'])
})

test('a state is kept even if there has never been a record', async (t) => {
  const { sync, state: kept } = await start(t, 'singer')
  assert.deepEqual(await sync(lines(schema(), state({ at: 1 }))), counts(0, 0, 0, 0))
  assert.deepEqual(await kept(), { state: { at: 1 } })
})

testOnce('a tap that exits with 0 and got no state has sent a snapshot, unlike one that continues', async (t) => {
  const { exec, ids } = await start(t, 'singer')
  assert.deepEqual(await exec(lines(schema(), record('a'), record('b'), state({ at: 1 }))), counts(2, 0, 0, 0))
  assert.deepEqual(await exec(lines(schema(), record('b'), state({ at: 2 }))), counts(0, 0, 0, 1))
  assert.deepEqual(await ids(), ['a', 'b'])
  const everything = { takes: '' }
  assert.deepEqual(await exec(lines(schema(), record('b'), state({ at: 3 })), everything), counts(0, 0, 1, 1))
  assert.match(await exec(lines(schema(), state({ at: 4 })), everything), /the snapshot has no tasks/)
  assert.deepEqual(await ids(), ['b'])
})

testOnce('a tap that fails or is killed changes nothing, its state included', async (t) => {
  const { exec, run, ids, state: kept, writeFile } = await start(t, 'singer')
  await exec(lines(schema(), record('a'), state({ at: 1 })))
  assert.match(
    await exec(lines(schema(), record('b'), state({ at: 2 })), { exit: 3 }),
    /nothing was synced: the command failed with exit code 3/,
  )
  writeFile('killed.sh', 'cat next.jsonl\nkill -9 $$\n')
  assert.match(await run('--exec', 'exec sh killed.sh'), /the command was ended by SIGKILL/)
  assert.match(await run('--exec', 'no-such-tap'), /the command failed with exit code 127/)
  assert.deepEqual(await ids(), ['a'])
  assert.deepEqual(await kept(), { state: { at: 1 }, stream: 'tasks' })
})

testOnce('a new version of a table is a snapshot once it is activated after its records', async (t) => {
  const { sync, ids } = await start(t, 'singer')
  const table = (version: number, ...records: string[]) => records.map((id) => record(id, { version }))
  assert.deepEqual(await sync(lines(schema(), activate(1), ...table(1, 'a', 'b'), activate(1))), counts(2, 0, 0, 0))
  // An incremental run activates the existing version.
  assert.deepEqual(await sync(lines(schema(), activate(1), ...table(1, 'c'), activate(1))), counts(1, 0, 0, 0))
  // It was interrupted, or activated before its records.
  assert.deepEqual(await sync(lines(schema(), activate(2), ...table(2, 'a'))), counts(0, 0, 0, 1))
  assert.deepEqual(await ids(), ['a', 'b', 'c'])
  // It continues after that break, so its first records are not repeated.
  assert.deepEqual(await sync(lines(schema(), ...table(2, 'b'), activate(2))), counts(0, 0, 0, 1))
  assert.deepEqual(await ids(), ['a', 'b', 'c'])
  assert.deepEqual(await sync(lines(schema(), ...table(3, 'a', 'b'), activate(3))), counts(0, 0, 1, 2))
  // Only some of these records have the version that is activated.
  assert.deepEqual(await sync(lines(...table(4, 'a'), ...table(5, 'b'), activate(5))), counts(0, 0, 0, 2))
  assert.match(await sync(lines(schema(), activate(6))), /the snapshot has no tasks/)
  assert.deepEqual(await ids(), ['a', 'b'])
  // Its version is known even if the records are read in another way now.
  assert.deepEqual(await sync(lines(schema(), ...table(5, 'c'), activate(5)), '--stream', 'tasks'), counts(1, 0, 0, 0))
  assert.deepEqual(await ids(), ['a', 'b', 'c'])
})

testOnce('the last copy of a repeated record counts', async (t) => {
  const { sync, column } = await start(t, 'singer')
  const again = { ...record('a', { version: 1 }), record: task('a', 'Second') }
  assert.deepEqual(await sync(lines(record('a', { version: 1 }), again, activate(1))), counts(1, 0, 0, 0))
  assert.deepEqual(await column('SELECT title FROM tasks'), ['Second'])
})

testOnce('a broken line, an unknown message or a bad record changes nothing, and is named by its line', async (t) => {
  const { sync, ids, state: kept } = await start(t, 'singer')
  await sync(lines(schema(), record('a'), state({ at: 1 })))
  const good = lines(schema(), record('b'), state({ at: 2 }))
  for (const [bad, complaint] of [
    ['{"type":"RECORD","stream":"tasks","rec', /^line 4: .*JSON/],
    ['Traceback (most recent call last):', /^line 4: .*JSON/],
    [
      '{"type":"BATCH","stream":"tasks"}',
      /^line 4: is not a message of Singer that can be read here: its type is "BATCH"/,
    ],
    ['{"type":"RECORD","stream":"tasks","record":{"id":"c"}}', /^line 4: title is required/],
    ['{"type":"RECORD","stream":"tasks"}', /^line 4: is a RECORD without a stream name or without a record/],
    ['7', /^line 4: is not a message/],
  ] as const)
    assert.match(await sync(`${good}${bad}\n`), complaint)
  assert.deepEqual(await ids(), ['a'])
  assert.deepEqual(await kept(), { state: { at: 1 }, stream: 'tasks' })
})

testOnce('one stream of several is chosen by its name', async (t) => {
  const { sync, ids } = await start(t, 'singer')
  const two = lines(schema(), schema('people'), record('a'), record('p', {}, 'people'), activate(1, 'people'))
  assert.match(await sync(two), /^line 4: is of people, not of tasks; choose one with --stream/)
  assert.match(await sync(two, '--stream', 'task'), /^there is no stream task, only tasks, people$/m)
  assert.deepEqual(await sync(two, '--stream', 'tasks'), counts(1, 0, 0, 0))
  assert.deepEqual(await ids(), ['a'])
})

testOnce('a stream may be in a later file; it is missing only if no file has it', async (t) => {
  const { run, writeFile } = await start(t, 'singer')
  const files = [
    writeFile('people.jsonl', lines(schema('people'), record('p', {}, 'people'))),
    writeFile('tasks.jsonl', lines(schema(), record('a'))),
  ]
  assert.deepEqual(await run('--stream', 'tasks', ...files), counts(1, 0, 0, 0))
  assert.match(await run('--stream', 'task', ...files), /^tasks.jsonl: there is no stream task, only people, tasks$/m)
})

testOnce('the same stream is read again, even if the first record now belongs to another one', async (t) => {
  const { exec, sync, ids } = await start(t, 'singer')
  await exec(lines(schema(), record('a'), state({ at: 1 })))
  const other = lines(schema('people'), record('p', {}, 'people'), activate(1, 'people'))
  for (const takes of ['--state {state}', ''])
    assert.match(await exec(other, { takes }), /^line 2: is of people, not of tasks; choose one with --stream/)
  assert.match(await sync(lines(schema('people')), '--allow-empty'), /^there is no stream tasks, only people$/m)
  assert.deepEqual(await ids(), ['a'])
  assert.deepEqual(await sync(other, '--stream', 'people'), counts(1, 0, 1, 0))
})

test('a state is not passed back after the command or the timezone changed', async (t) => {
  const { exec, given, json } = await start(t, 'singer')
  const next = (at: number, takes?: string) =>
    exec(lines(record('a'), state({ at })), takes === undefined ? {} : { takes })
  await next(1)
  await next(2)
  assert.deepEqual(given(), { at: 1 })
  await next(3, '--state {state} --all')
  assert.deepEqual(given(), {})
  await next(4, '--state {state} --all')
  assert.deepEqual(given(), { at: 3 })
  await json('workspace', 'update', 'acme', '--timezone', 'Asia/Tokyo')
  await next(5, '--state {state} --all')
  assert.deepEqual(given(), {})
})

testOnce('only a state makes a run a continuation, not the version saved with it', async (t) => {
  const { exec, ids } = await start(t, 'singer')
  await exec(lines(record('a', { version: 1 }), record('b', { version: 1 }), activate(1)))
  assert.deepEqual(await exec(lines(schema(), record('b'))), counts(0, 0, 1, 1))
  assert.deepEqual(await ids(), ['b'])
})

testOnce("a connector's status shows whether the stream is complete, unless it continues", async (t) => {
  const { sync, exec, ids, given } = await start(t, 'airbyte')
  const incomplete = lines(data('a'), data('b'), streamState('1'), status('INCOMPLETE'))
  assert.deepEqual(await sync(incomplete), counts(2, 0, 0, 0))
  assert.deepEqual(await sync(lines(status('STARTED'), data('a'), status('COMPLETE'))), counts(0, 0, 1, 1))
  assert.deepEqual(await exec(lines(data('b'), streamState('2'), streamState('x', 'people'), status('COMPLETE'))), {
    ...counts(1, 0, 1, 0),
  })
  assert.deepEqual(given(), [])
  assert.deepEqual(await exec(lines(data('c'), streamState('3'), status('COMPLETE'))), counts(1, 0, 0, 0))
  assert.deepEqual(given(), [streamState('2').state, streamState('x', 'people').state])
  assert.deepEqual(await ids(), ['b', 'c'])
  for (const statuses of [[status('INCOMPLETE')], [status('INCOMPLETE'), status('COMPLETE')]])
    await exec(lines(data('c'), ...statuses), { takes: '' })
  assert.deepEqual(await ids(), ['b', 'c'])
  await exec(lines(data('c'), status('COMPLETE')), { takes: '' })
  assert.deepEqual(await ids(), ['c'])
})

testOnce('the same name in two namespaces is two streams', async (t) => {
  const { sync, ids } = await start(t, 'airbyte')
  const two = lines(data('a', 'tasks', 'live'), data('b', 'tasks', 'old'))
  assert.match(await sync(two), /^line 2: is of old\.tasks, not of live\.tasks; choose one with --stream/)
  assert.match(await sync(two, '--stream', 'tasks'), /^line 2: is of old\.tasks, not of live\.tasks/)
  assert.deepEqual(await sync(two, '--stream', 'live.tasks'), counts(1, 0, 0, 0))
  const rest = [data('c', 'tasks', 'live'), status('COMPLETE', 'tasks', 'old')]
  assert.deepEqual(await sync(lines(...rest), '--stream', 'live.tasks'), counts(1, 0, 0, 0))
  assert.deepEqual(await ids(), ['a', 'c'])
  assert.deepEqual(await sync(lines(...rest, status('COMPLETE', 'tasks', 'live')), '--stream', 'tasks'), {
    ...counts(0, 0, 1, 1),
  })
})

testOnce('a connector that reports an error changes nothing, and its message is shown', async (t) => {
  const { sync, ids } = await start(t, 'airbyte')
  const error = { type: 'TRACE', trace: { type: 'ERROR', error: { message: 'The token has expired.' } } }
  assert.match(await sync(lines(data('a'), error)), /^line 2: the connector failed: The token has expired\./)
  assert.deepEqual(await ids(), [])
})

testOnce('a connector that names new streams without end is stopped', async (t) => {
  const { run } = await start(t, 'airbyte')
  const next = JSON.stringify(streamState('x'.repeat(20_000), '%d'))
  const endless = `i=0; while printf '${next}\\n' $i; do i=$((i+1)); done`
  assert.match(await run('--exec', endless), /nothing was synced: the state is longer than 1 MiB/)
})

testOnce("a state in Airbyte's old form is passed back unchanged", async (t) => {
  const { exec, given } = await start(t, 'airbyte')
  await exec(lines(data('a'), { type: 'STATE', state: { data: { tasks: { cursor: '1' } } } }))
  await exec(lines(status('COMPLETE')))
  assert.deepEqual(given(), { tasks: { cursor: '1' } })
})

testOnce('the built-in maps read real shapes', async (t) => {
  const { json, writeFile, column } = await syncProgram(t, 'tap')
  const sync = (name: string, ...more: string[]) => json(...syncOf(name), writeFile(name, recorded(name)), ...more)
  const github = ['--map', 'github-json', '--stream', 'issues']
  assert.deepEqual(await sync('tap-github', '--format', 'singer', ...github), counts(2, 0, 0, 0))
  assert.deepEqual(await sync('airbyte-github', '--format', 'airbyte', ...github), counts(1, 0, 0, 0))
  assert.deepEqual(await sync('tap-asana', '--format', 'singer', '--map', 'asana-json'), counts(1, 0, 0, 0))
  assert.deepEqual(await column("SELECT id || ' ' || status FROM tasks ORDER BY id"), [
    ...['1201 open', 'gh-12 open', 'gh-13 completed', 'gh-21 open'],
  ])
})

testOnce('a map is needed to begin with, and another one starts over', async (t) => {
  const { exec, given, writeFile } = await start(t, 'singer')
  await exec(lines(record('a'), state({ at: 1 })))
  const map = { format: 'json', fields: { id: '/id', title: '/title' } }
  const mapped = { more: ['--map', `./${writeFile('map.json', JSON.stringify(map))}`] }
  await exec(lines(record('a'), state({ at: 2 })), mapped)
  assert.deepEqual(given(), {})
  await exec(lines(record('a'), state({ at: 3 })), mapped)
  assert.deepEqual(given(), { at: 2 })
  assert.match(await exec(lines(record('a')), { more: ['--map', 'jira-csv'] }), /the map jira-csv reads CSV/)
  assert.match(
    await exec(lines(record('a')), { more: ['--map', 'trello-json'] }),
    /the map trello-json reads documents/,
  )
})

testOnce('conflicting options are usage errors', async (t) => {
  const { fails } = await acmeProgram(t)
  const sync = (...words: string[]) => fails(2, ...syncOf('tap'), ...words)
  assert.match(await sync(), /give either files or --exec/)
  assert.match(await sync('--exec', 'true', 'file'), /give either files or --exec/)
  for (const given of ['--state mine.json', '--state=mine.json'])
    assert.match(await sync('--format', 'singer', '--exec', `tap ${given}`), /--exec: use --state \{state\}; another/)
  assert.match(await sync('--stream', 'a', 'file'), /--stream: needs --format/)
  assert.match(await sync('--exec', 'tap {state}'), /--exec: \{state\} needs --format/)
  assert.match(await sync('--format', 'csv', 'file'), /Allowed choices are singer, airbyte/)
  assert.match(await sync('--format', 'singer', 'https://tracker.example/'), /--format: messages are read from/)
})

testOnce('without a format, a command prints a snapshot, which counts only if it exits with 0', async (t) => {
  const { sync, writeFile, column } = await syncProgram(t, 'tap')
  const exec = (command: string) => sync('--exec', command)
  writeFile('tasks.csv', 'id,title\na,A\n')
  assert.deepEqual(await exec('cat tasks.csv'), counts(1, 0, 0, 0))
  assert.match(await exec('cat tasks.csv; exit 1'), /the command failed with exit code 1/)
  for (const [command, shown] of [
    ['cat tasks.csv', 'cat'],
    ['TOKEN=hush cat tasks.csv', 'cat'],
    ['TOKEN="hush now" OTHER=\'hush too\' cat tasks.csv', 'cat'],
    ['TOKEN=$(echo hush now); cat tasks.csv', 'a command'],
  ] as const) {
    assert.deepEqual(await exec(command), counts(0, 0, 0, 1))
    assert.deepEqual(await column('SELECT location FROM sources'), [`the output of ${shown}`])
  }
})

testOnce('a repeated sync runs the command each time, and stopping it stops the command', async (t) => {
  const { begin, writeFile, ids, folder, words } = await start(t, 'singer')
  writeFile('tap.sh', `cat ${writeFile('one.jsonl', lines(schema(), record('a'), state({ at: 1 })))}\n`)
  const running = await begin(
    ...[...words, '--format', 'singer', '--every', '1s', '--json', '--exec'],
    "sh tap.sh {state}; test -e again && { sh -c 'echo $$ > pid; exec sleep 600' | cat; }; touch again",
  )
  await running.printed('"created":1')
  await waitUntil(() => startedProgram(folder) > 0, { message: 'the second run did not begin' })
  assert.equal(await running.stop(), 0)
  assert.deepEqual(await ids(), ['a'])
  await untilEnded(folder)
})

/** The process ID of the program that sh started; 0 if it has not started yet. */
function startedProgram(folder: string): number {
  const file = join(folder, 'pid')
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
}

function untilEnded(folder: string): Promise<void> {
  const pid = startedProgram(folder)
  const hasEnded = () => {
    try {
      return !process.kill(pid, 0)
    } catch {
      return true
    }
  }
  return waitUntil(hasEnded, { message: 'the program did not end' })
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  testOnce(`${signal} during a single sync also ends its command's programs, and removes the state`, async (t) => {
    const { begin, folder, words } = await start(t, 'singer')
    const script = 'echo $$ > pid; echo {state} > path; echo ready >&2; exec sleep 600'
    const running = await begin(...words, '--format', 'singer', '--exec', `sh -c '${script}' | cat`)
    await running.printed('ready')
    const stateFile = readFileSync(join(folder, 'path'), 'utf8').trim()
    assert.ok(existsSync(stateFile))
    await running.stop(signal)
    await untilEnded(folder)
    assert.ok(!existsSync(dirname(stateFile)))
  })
