// On both engines: a copy reads and writes either engine.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import {
  connectElsewhere,
  type Engine,
  engines,
  freshDatabaseUrl,
  skipWithoutPostgres,
  testOnce,
} from '../support/database.ts'
import { program } from '../support/program.ts'

const AT = '2026-11-15T12:00:00.000Z'

const LISTS = [
  ['key', 'list', '--workspace', 'northwind'],
  ['audit', '--workspace', 'northwind'],
  ['audit', 'verify'],
  ['workspace', 'list'],
]

/** The demo, with a source, as the server and the commands show it. */
async function startSource(t: TestContext, engine: Engine) {
  const url = await freshDatabaseUrl(t, engine)
  const vitrine = program(t, { DATABASE_URL: url })
  const demo = await vitrine.start('demo')
  await demo.printed('Ctrl+C')
  const key = /vtr_[0-9A-Za-z]{49}/.exec(demo.output())?.[0] ?? ''
  const read = async (server: string, path: string) =>
    (await fetch(server + path, { headers: { authorization: `Bearer ${key}` } })).text()
  const [tasks, workspace] = [await read(demo.url, '/tasks'), await read(demo.url, '/workspace')]
  await demo.stop()
  const elsewhere = await connectElsewhere(url)
  await elsewhere.run(`
    UPDATE list_items SET source = 'tracker';
    INSERT INTO sources (workspace_id, list, name, created_at, synced_at, location, row_count)
    SELECT id, 'tasks', 'tracker', '${AT}', '${AT}', 'tasks.json', 40 FROM workspaces`)
  await elsewhere.close()
  const lists: string[] = []
  for (const list of LISTS) lists.push(await vitrine.ok(...list, '--json'))
  return { url, read, tasks, workspace, lists }
}

for (const from of engines) {
  testOnce(
    `everything is copied from ${from} to either engine, and the same keys work there`,
    async (t) => {
      const source = await startSource(t, from)
      for (const to of engines) {
        const target = await freshDatabaseUrl(t, to)
        const after = program(t, { DATABASE_URL: target })
        const counts = await after.json('copy', '--from', source.url, '--to', target)
        const { key_use, ...others } = counts as Record<string, number>
        assert.partialDeepStrictEqual(others, {
          workspaces: 1,
          list_items: 40,
          sources: 3,
          api_keys: 7,
          members: 2,
          audit_heads: 1,
        })
        assert.ok((key_use ?? 0) > 100, `${key_use} days`)
        for (const [i, list] of LISTS.entries()) assert.equal(await after.ok(...list, '--json'), source.lists[i])
        const copied = await connectElsewhere(target, t)
        assert.equal((await copied.all(`SELECT 1 FROM list_items WHERE source = 'tracker'`)).length, 40)
        const kept = `list = 'tasks' AND name = 'tracker' AND synced_at = '${AT}' AND location = 'tasks.json' AND row_count = 40`
        assert.equal((await copied.all(`SELECT 1 FROM sources WHERE ${kept}`)).length, 1)
        const server = await after.serve()
        assert.equal(await source.read(server.url, '/tasks'), source.tasks)
        assert.equal(await source.read(server.url, '/workspace'), source.workspace)
        await after.ok('key', 'create', '--workspace', 'northwind', '--label', 'made in the copy')
        assert.match(await after.ok('audit', 'verify'), /^ok {4}northwind: 14 entries, head 14:/)

        assert.equal(
          await after.fails(1, 'copy', '--from', source.url, '--to', target),
          'vitrine: the target is not empty; copy into a new one\n',
        )
      }
    },
    skipWithoutPostgres(),
  )
}
