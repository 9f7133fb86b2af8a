import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { program } from '../support/program.ts'
import { waitUntil } from '../support/wait.ts'

const COUNT = 200

test('a killed apply leaves no half workspace and no key without its token, and can be repeated', async (t) => {
  const vitrine = program(t)
  const [file, keysFile] = [join(vitrine.folder, 'workspaces.ndjson'), join(vitrine.folder, 'keys.ndjson')]
  const workspaceAt = (i: number) => ({
    ...{ slug: `w${i}`, name: `W ${i}`, members: [{ email: `o${i}@w.example`, role: 'owner' }] },
    keys: [{ label: 'agent' }],
  })
  vitrine.writeFile(
    'workspaces.ndjson',
    Array.from({ length: COUNT }, (_, i) => JSON.stringify(workspaceAt(i))).join('\n'),
  )
  await vitrine.ok('workspace', 'list')
  const tokens = (): { workspace: string; id: string; key: string }[] =>
    existsSync(keysFile)
      ? readFileSync(keysFile, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line))
      : []

  const { child } = await vitrine.begin('apply', file, '--keys-to', keysFile)
  await waitUntil(() => tokens().length > 20)
  child.kill('SIGKILL')
  await once(child, 'exit')

  const workspaces: { slug: string }[] = await vitrine.json('workspace', 'list')
  assert.ok(workspaces.length >= 20 && workspaces.length < COUNT, `${workspaces.length} workspaces`)
  const known = new Set(tokens().map(({ id }) => id))
  for (const { slug } of workspaces.slice(-3)) {
    assert.equal((await vitrine.json('member', 'list', '--workspace', slug)).length, 1, slug)
    const keys: { id: string }[] = await vitrine.json('key', 'list', '--workspace', slug)
    assert.deepEqual(
      keys.map(({ id }) => known.has(id)),
      [true],
      slug,
    )
  }
  const again = await vitrine.json('apply', file, '--keys-to', keysFile)
  assert.deepEqual([again.unchanged, again.created, again.failed], [workspaces.length, COUNT - workspaces.length, 0])
})
