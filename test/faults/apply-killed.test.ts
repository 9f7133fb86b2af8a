import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { program } from '../support/program.ts'
import { waitUntil } from '../support/wait.ts'

const COUNT = 200

const workspaceAt = (i: number) => ({
  ...{ slug: `w${i}`, name: `W ${i}`, members: [{ email: `o${i}@w.example`, role: 'owner' }] },
  keys: [{ label: 'agent' }],
})

/** The ids of the new keys in the output, and in the file if there is one. */
const idsIn = (text: string) => [...text.matchAll(/"id":"(key_\w+)","key":"vtr_\w+"\}/g)].map(([, id]) => id)

/** An apply that was killed. On a busy machine all may be applied before the kill arrives: then it is tried again. */
async function killedApply(t: TestContext, handOver: string[]) {
  for (let attempt = 0; attempt < 10; attempt++) {
    const vitrine = program(t)
    const lines = Array.from({ length: COUNT }, (_, i) => JSON.stringify(workspaceAt(i)))
    const apply = ['apply', vitrine.writeFile('workspaces.ndjson', lines.join('\n')), ...handOver]
    const keysFile = join(vitrine.folder, 'keys.ndjson')
    await vitrine.ok('workspace', 'list')
    const { child, output } = await vitrine.begin(...apply)
    const ids = () => idsIn(existsSync(keysFile) ? readFileSync(keysFile, 'utf8') : output())
    const exited = once(child, 'close')
    await waitUntil(() => ids().length > 20)
    child.kill('SIGKILL')
    await exited
    const workspaces: { slug: string }[] = await vitrine.json('workspace', 'list')
    if (workspaces.length < COUNT) return { vitrine, apply, known: new Set(ids()), workspaces }
  }
  assert.fail('everything was applied before the kill ten times')
}

for (const handOver of [['--keys-to', 'keys.ndjson'], ['--json']])
  test(`a killed apply ${handOver[0]} leaves no half workspace and no key without its token, and can be repeated`, async (t) => {
    const { vitrine, apply, known, workspaces } = await killedApply(t, handOver)
    assert.ok(workspaces.length >= 20, `${workspaces.length} workspaces`)
    for (const { slug } of workspaces.slice(-3)) {
      assert.equal((await vitrine.json('member', 'list', '--workspace', slug)).length, 1, slug)
      const keys: { id: string }[] = await vitrine.json('key', 'list', '--workspace', slug)
      assert.deepEqual(
        keys.map(({ id }) => known.has(id)),
        [true],
        slug,
      )
    }
    const again = await vitrine.json(...apply.filter((word) => word !== '--json'))
    assert.deepEqual([again.unchanged, again.created, again.failed], [workspaces.length, COUNT - workspaces.length, 0])
  })
