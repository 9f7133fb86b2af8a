import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { testOnly, writeUnchecked } from '../support/database.ts'
import { documentedCode } from '../support/documented.ts'
import { createKeyOnPage, signedIn, startSignedIn } from '../support/person.ts'
import { startService } from '../support/service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const AUDIT = '/settings/workspaces/acme/audit'

/** The script in docs/audit.md for third parties. */
function documentedVerifier(t: TestContext) {
  const script = join(temporaryFolder(t), 'verify-export.mjs')
  writeFileSync(script, documentedCode('docs/audit.md', 'js'))
  return (input: string) => spawnSync(process.execPath, [script], { input, encoding: 'utf8' })
}

/** A service whose audit log contains texts that are hard to encode. */
async function fullOfQuotes(t: TestContext) {
  const service = await startService(t)
  const browser = await signedIn(service, 'owner', "'=o'hara@acme.example")
  await createKeyOnPage(browser, { label: '=cmd|"x", é😀 \\ </script>' })
  const { id } = await service.createKey({ label: "'quoted'" })
  await service.keys.revoke(id)
  await service.createKey({ label: 'the last' })
  return browser
}

test('the documented script verifies an export, and names the entry that was changed', async (t) => {
  const browser = await fullOfQuotes(t)
  const verified = documentedVerifier(t)
  const { text } = await browser.get(`${AUDIT}.ndjson`)
  const lines = text.trimEnd().split('\n')
  const entries = lines.map((line) => JSON.parse(line))
  assert.deepEqual(
    entries.map(({ number }) => number),
    Array.from({ length: entries.length }, (_, i) => entries.length - i),
  )
  const whole = verified(text)
  assert.equal(whole.stdout, `${entries.length} entries fit; the last is ${entries.length}:${entries[0].hash}\n`)
  assert.equal(verified(lines.slice(0, 4).join('\n')).status, 0, 'the newest part')
  const changed = verified(text.replace('key.revoked', 'key.created'))
  assert.equal(changed.status, 1)
  const revocation = entries.find(({ action }) => action === 'key.revoked')
  assert.match(changed.stderr, new RegExp(`entry ${revocation.number} of ${revocation.at} does not fit`))
  const without = lines.filter((line) => !line.includes('"key.revoked"'))
  assert.match(verified(without.join('\n')).stderr, new RegExp(`entry ${revocation.number + 1} of`))
})

test('CSV contains the same chain once the apostrophes before its cells are removed', async (t) => {
  const browser = await fullOfQuotes(t)
  const { text } = await browser.get(`${AUDIT}.csv`)
  const rows = parse(text, { columns: true }) as Record<string, string>[]
  assert.ok(rows.some(({ actor }) => actor === "''=o'hara@acme.example"))
  const entries = rows
    .map((row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cell.replace(/^'/, '')])))
    .map((row) => JSON.stringify({ ...row, number: Number(row.number), detail: JSON.parse(row.detail ?? '') }))
  const verified = documentedVerifier(t)(entries.join('\n'))
  assert.match(verified.stdout, new RegExp(`^${entries.length} entries fit`), verified.stderr)
})

testOnly('sqlite')(
  'an export contains the newest 100,000 entries, and its last line says that older ones are left out',
  async (t) => {
    const { service, browser } = await startSignedIn(t)
    await writeUnchecked(
      service.databaseUrl,
      `
    WITH RECURSIVE numbers AS (SELECT 1000 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < 101000)
    INSERT INTO audit (at, workspace_id, actor, action, subject, detail, number, previous_hash, hash)
    SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 1794747600 + n / 1000.0, 'unixepoch'), (SELECT id FROM workspaces), 'x', 'y', 'z', '{}', n, '', '' FROM numbers`,
    )
    const { text } = await browser.get(`${AUDIT}.ndjson`)
    const lines = text.trimEnd().split('\n')
    assert.equal(lines.length, 100_001)
    const { truncated, hash } = JSON.parse(lines.pop() ?? '')
    assert.match(truncated, /^The newest 100,000; older ones match too/)
    assert.equal(hash, null)
    assert.equal(JSON.parse(lines[0] ?? '').number, 101_000)
    assert.equal(JSON.parse(lines.at(-1) ?? '').number, 1001)
    const rows = parse((await browser.get(`${AUDIT}.csv`)).text) as string[][]
    assert.equal(rows.length, 1 + 100_001)
    assert.equal(rows.at(-1)?.join(''), truncated)
  },
)
