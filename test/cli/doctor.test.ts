// On both engines: each engine is examined in its own way.
import assert from 'node:assert/strict'
import { truncateSync, writeFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { engineUnderTest, testOnce, testOnly, writeUnchecked } from '../support/database.ts'
import { acmeProgram, type Program } from '../support/program.ts'

const engine = engineUnderTest()

const at = "'2026-11-15T12:00:00.000Z'"

interface Check {
  name: string
  state: 'ok' | 'warning' | 'failed'
  message: string
  hint: string | null
}

/** The program with a database and the workspace acme, its id, and a way to write rows directly. */
async function acme(t: TestContext) {
  const vitrine = await acmeProgram(t)
  return {
    vitrine,
    id: vitrine.workspaceId,
    write: vitrine.execute,
    /** The same, before the databases enforced the rules. */
    writeOld: (...statements: string[]) => writeUnchecked(vitrine.env.DATABASE_URL ?? '', ...statements),
  }
}

/** Runs doctor, in which exactly these checks must fail. */
async function diagnose(vitrine: Program, ...ill: string[]): Promise<Map<string, string>> {
  const { code, stdout, stderr } = await vitrine.run('doctor', '--json')
  assert.equal(stderr, '')
  const { ok, checks }: { ok: boolean; checks: Check[] } = JSON.parse(stdout)
  const failed = checks.filter(({ state }) => state === 'failed')
  assert.deepEqual(
    failed.map(({ name }) => name),
    ill,
    stdout,
  )
  assert.deepEqual([ok, code], ill.length === 0 ? [true, 0] : [false, 1])
  return new Map(checks.map(({ name, message, hint }) => [name, hint === null ? message : `${message}; ${hint}`]))
}

/** What doctor reports for the one check that fails. */
const faultOf = async (vitrine: Program, ill: string) => (await diagnose(vitrine, ill)).get(ill) ?? ''

testOnce('doctor finds keys that would be sent unencrypted', async (t) => {
  const { vitrine } = await acme(t)
  for (const host of ['0.0.0.0', '::']) {
    vitrine.env.HOST = host
    vitrine.env.PUBLIC_URL = 'http://vitrine.example'
    assert.match(
      await faultOf(vitrine, 'encryption'),
      /PUBLIC_URL is plain http: keys are sent unencrypted; put a proxy with TLS in front .* or set HOST=127\.0\.0\.1$/,
    )
  }
  vitrine.env.PUBLIC_URL = 'https://vitrine.example'
  await diagnose(vitrine)
  Object.assign(vitrine.env, { HOST: '127.0.0.1', PUBLIC_URL: 'http://localhost' })
  await diagnose(vitrine)
})

testOnly('sqlite')('doctor finds an empty database file, and does not change it', async (t) => {
  const { vitrine } = await acme(t)
  const file = (vitrine.env.DATABASE_URL ?? '').replace('sqlite:', '')
  truncateSync(file)
  for (let i = 0; i < 2; i++)
    assert.equal(
      await faultOf(vitrine, 'database'),
      `${file}: is empty; create a workspace with 'vitrine workspace create', or check DATABASE_URL`,
    )
})

testOnly('sqlite')('damage does not hide the other findings', async (t) => {
  const { vitrine } = await acme(t)
  const file = (vitrine.env.DATABASE_URL ?? '').replace('sqlite:', '')
  writeFileSync(file, 'not a database, but long enough to be looked at'.repeat(200), { mode: 0o600 })
  const findings = await diagnose(vitrine, 'database')
  assert.match(findings.get('database') ?? '', /is not a SQLite database; check DATABASE_URL$/)
  assert.equal(findings.get('settings'), 'all valid')
})

test('doctor finds nothing wrong with a sound database, and names every fault otherwise', async (t) => {
  const vitrine = await acmeProgram(t)
  await vitrine.ok('member', 'add', '--workspace', 'acme', '--email', 'a@b.example', '--role', 'owner')
  const key = await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x', '--expires', '3d')
  writeFileSync(`${vitrine.folder}/tasks.json`, '[{"id":"a","title":"A","dueAt":"2026-11-16T07:00:00Z"}]')
  await vitrine.ok('task', 'import', '--workspace', 'acme', 'tasks.json')
  const server = await vitrine.serve()
  await fetch(`${server.url}/tasks`, { headers: { authorization: `Bearer ${key}` } })
  await server.stop()
  const findings = await diagnose(vitrine)
  assert.match(findings.get('rows') ?? '', /^\d+ read, all valid$/)
  const sound = await vitrine.run('doctor')
  assert.equal(sound.code, 0, sound.stdout)
  assert.match(sound.stdout, /^warn {2}contents: 1 workspace, 1 live key; expiring within 14 days: key_/m)
  const { checks } = JSON.parse((await vitrine.run('doctor', '--json')).stdout)
  assert.deepEqual(checks[0], { name: 'settings', state: 'ok', message: 'all valid', hint: null })
  assert.deepEqual(
    checks.filter(({ state }: Check) => state !== 'ok').map(({ name, state }: Check) => [name, state]),
    [['contents', 'warning']],
  )
  // Both forms are derived from one definition of the checks.
  const lines = checks.map(
    ({ name, message, hint }: Check) => `  ${name}: ${hint === null ? message : `${message}; ${hint}`}`,
  )
  for (const line of lines.slice(0, 2)) assert.ok(sound.stdout.includes(line), line)
  assert.equal(sound.stdout.trimEnd().split('\n').length, checks.length)
  vitrine.env.PORT = 'many'
  assert.match((await vitrine.run('doctor')).stdout, /FAIL {2}settings: PORT: must be a whole number/)
})

test(`${engine}: doctor names every source that fails or is overdue, since when, why, and the fix`, async (t) => {
  const { vitrine, id, write } = await acme(t)
  assert.equal((await diagnose(vitrine)).get('sources'), 'none yet')
  const now = `'${new Date().toISOString()}'`
  const add = (name: string, synced: string, attempted: string, failure: string, every: string, workspace = id) =>
    write(
      `INSERT INTO sources (workspace_id, list, name, created_at, synced_at, attempted_at, failing_since, failure, failures,
         every_seconds, location) VALUES ('${workspace}', 'tasks', '${name}', ${at}, ${synced}, ${attempted}, ${failure}, ${every}, 'x.csv')`,
    )
  await add('well', now, now, 'NULL, NULL, 0', '3600')
  await add('by-hand', at, at, 'NULL, NULL, 0', 'NULL')
  await add('typo', 'NULL', at, `${at}, 'x', 1`, '60')
  assert.equal((await diagnose(vitrine)).get('sources'), '2 sources, all synced')
  await add('jira', at, now, `${at}, 'https://j.example/: answers 500', 12`, '60')
  await add('sheet', "'2026-11-15T11:00:00.000Z'", at, 'NULL, NULL, 0', '60')
  const [failing, overdue] = ['source jira of tasks in acme', 'source sheet of tasks in acme']
  const findings = await diagnose(vitrine, failing, overdue)
  assert.equal(
    findings.get(failing),
    'failing since 2026-11-15T12:00:00.000Z (12 attempts; last synced 2026-11-15T12:00:00.000Z): https://j.example/: answers 500; ' +
      "fix that, and run 'vitrine task sync --workspace acme --source jira …' again",
  )
  assert.equal(
    findings.get(overdue),
    'overdue: last attempted 2026-11-15T12:00:00.000Z, last synced 2026-11-15T11:00:00.000Z; start ' +
      "'vitrine task sync --workspace acme --source sheet …' again, which reads x.csv",
  )
  await vitrine.ok('workspace', 'archive', 'acme')
  assert.equal((await diagnose(vitrine)).get('sources'), 'none yet')
})
