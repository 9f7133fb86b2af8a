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

/** An apply that was killed. On a busy machine all may be applied before the kill arrives: then it is tried again. */
async function killedApply(t: TestContext, output: '--keys-to' | '--json') {
  for (let attempt = 0; attempt < 10; attempt++) {
    const vitrine = program(t)
    const lines = Array.from({ length: COUNT }, (_, i) => JSON.stringify(workspaceAt(i)))
    const apply = ['apply', vitrine.writeFile('workspaces.ndjson', lines.join('\n'))]
    const keysFile = join(vitrine.folder, 'keys.ndjson')
    await vitrine.ok('workspace', 'list')
    const { child, output: printed } = await vitrine.begin(
      ...apply,
      ...(output === '--json' ? ['--json'] : ['--keys-to', keysFile]),
    )
    const handedOver = () =>
      output === '--json' ? printed() : existsSync(keysFile) ? readFileSync(keysFile, 'utf8') : ''
    /** Of whole objects. */
    const tokens = (): { id: string; key: string }[] =>
      Array.from(handedOver().matchAll(/\{"workspace":[^{}]*\}/g), ([token]) => JSON.parse(token))
    const exited = once(child, 'close')
    await waitUntil(() => tokens().length > 20)
    child.kill('SIGKILL')
    await exited
    const workspaces: { slug: string }[] = await vitrine.json('workspace', 'list')
    if (workspaces.length < COUNT) return { vitrine, apply, tokens, workspaces }
  }
  assert.fail('everything was applied before the kill ten times')
}

for (const output of ['--keys-to', '--json'] as const)
  test(`a killed apply ${output} leaves no half workspace and no key without its token, and can be repeated`, async (t) => {
    const { vitrine, apply, tokens, workspaces } = await killedApply(t, output)
    assert.ok(workspaces.length >= 20, `${workspaces.length} workspaces`)
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
    const again = await vitrine.json(...apply)
    assert.deepEqual([again.unchanged, again.created, again.failed], [workspaces.length, COUNT - workspaces.length, 0])
  })
