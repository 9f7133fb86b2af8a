import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWorkspace } from '../../support/changes.ts'
import { testWithPostgres as test } from '../../support/database.ts'
import { startOperator } from '../../support/operator.ts'
import { startPostgres, withClient } from '../../support/postgres-server.ts'
import { program } from '../../support/program.ts'
import { waitUntil } from '../../support/wait.ts'

test('doctor and audit verify send as many statements for forty workspaces as for one', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-statements-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o777)
  const database = await startPostgres({
    log_statement: 'all',
    logging_collector: 'on',
    log_directory: folder,
    log_filename: 'statements.log',
    log_file_mode: '0644',
    log_line_prefix: '%a|',
  })
  t.after(() => database.remove())
  const operator = await startOperator(t, database.url)
  await operator.createKey()
  const vitrine = program(t, { DATABASE_URL: database.url })
  const log = () => readFileSync(join(folder, 'statements.log'), 'utf8')
  let marks = 0
  /** Written by another process, in order: once the mark is there, so is everything before it. */
  const sent = async () => {
    const mark = `mark ${++marks}.`
    await withClient(database.url, (client) => client.query(`SELECT '${mark}'`))
    await waitUntil(() => log().includes(mark))
    return log().match(/^vitrine \w+\|LOG: {2}(statement|execute)/gm)?.length ?? 0
  }
  const statementsOf = async (...words: string[]) => {
    const before = await sent()
    const { code, stdout, stderr } = await vitrine.run(...words)
    assert.deepEqual([code, stderr], [0, ''], stdout)
    return { count: (await sent()) - before, stdout }
  }
  const doctor = await statementsOf('doctor')
  const verify = await statementsOf('audit', 'verify')
  for (let i = 1; i < 40; i++) {
    const slug = `w${i}`
    await createWorkspace(operator.store, { name: slug, slug }, 'test', new Date().toISOString())
    await operator.keys.create(slug, { label: 'x', permissions: ['tasks:read'], quota: null, expiresAt: null })
  }
  const later = await statementsOf('doctor')
  assert.match(later.stdout, /contents: 40 workspaces, 40 live keys/)
  assert.match(later.stdout, /audit chain: 80 entries, none changed/)
  assert.equal(later.count, doctor.count)
  assert.equal((await statementsOf('audit', 'verify')).count, verify.count)
  assert.ok(doctor.count > 10, 'statements are counted')
})
