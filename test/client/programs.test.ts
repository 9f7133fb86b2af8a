import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import { projectWithClient } from './compiled-client.ts'
import { eventsIn, parser } from './parsed-calendar.ts'
import { snippets, snippetTask } from './readme.ts'
import { testRuntime } from './runtime.ts'
import { oldestNode, root, run, skipWithoutTool } from './tools.ts'

const examplesReadme = readFileSync(join(root, 'examples/README.md'), 'utf8')

test('programs that use the compiled client', async (t) => {
  const project = await projectWithClient(t)
  const service = await startService(t)
  await service.addTasks([snippetTask])
  const env = { VITRINE_URL: service.url, VITRINE_KEY: service.key }

  for (const name of ['Node.js 20', 'Deno', 'Bun'] as const) await testRuntime(t, name, project, env)

  for (const [n, { code, prints }] of snippets.entries())
    await t.test(`snippet ${n + 1} of the README runs`, async () => {
      writeFileSync(join(project, 'snippet.mjs'), code)
      const { stdout } = await run([oldestNode(), 'snippet.mjs'], { cwd: project, env })
      assert.match(stdout, prints)
    })

  cpSync(join(root, 'examples'), project, { recursive: true, filter: (path) => !path.includes('node_modules') })
  await t.test('the digest prints what its README shows, and reports an error in one line', async () => {
    const digest = [oldestNode(), 'digest.mjs', '2026-11-16T07:00:00Z'] as const
    const unknownKey = { ...env, VITRINE_KEY: 'vtr_x' }
    const unauthorized = /\n401 unauthorized: The workspace key is not valid\. [^\n]+\n$/
    await assert.rejects(run(digest, { cwd: project, env: unknownKey }), unauthorized)

    await service.addTasks([
      { id: 'fair', title: 'Book the Köln fair', dueAt: '2026-11-13T23:59:59.000Z', assigneeName: 'Priya Raman' },
      { id: 'samples', title: 'Send the samples', dueAt: '2026-11-16T23:59:59.000Z' },
      { id: 'tomorrow', title: 'Call Oslo', dueAt: '2026-11-17T00:00:00.000Z' },
      ...['a', 'b', 'c'].map((id) => ({ id })),
    ])
    const { stdout } = await run(digest, { cwd: project, env })
    assert.ok(examplesReadme.includes(`\`\`\`\n${stdout}\`\`\``), stdout)

    const many = await startService(t, { env: { RATE_LIMIT: '4;w=1' }, realClock: true })
    const late = Array.from({ length: 130 }, (_, n) => ({ id: `late-${n}`, dueAt: '2026-11-13T10:00:00.000Z' }))
    await many.addTasks([...late, { id: 'today', title: 'Not hidden', dueAt: '2026-11-16T17:00:00.000Z' }])
    const server = { VITRINE_URL: many.url, VITRINE_KEY: many.key }
    // The second run hits the first one's quota, and waits for the next window.
    for (const _ of [1, 2]) {
      const { stdout: crowded } = await run(digest, { cwd: project, env: server })
      assert.match(
        crowded,
        /\nOverdue \(130\)\n(- .+\n){100}- and 30 more\n\nDue today \(1\)\n- Not hidden, due 17:00\n$/,
      )
    }
  })

  await t.test('the changes are printed as the README shows', async (t) => {
    const changing = await startService(t)
    const fair = { id: 'fair', title: 'Book the Köln fair' }
    await changing.addTasks([
      fair,
      { ...snippetTask, assigneeName: 'Priya Raman' },
      { id: 'b', title: 'Send the samples' },
    ])
    await changing.addTasks([{ ...fair, status: 'completed' }])
    const server = { VITRINE_URL: changing.url, VITRINE_KEY: changing.key }
    const { stdout } = await run([oldestNode(), 'changes.mjs', '2026-11-14'], { cwd: project, env: server })
    assert.ok(examplesReadme.includes(`\`\`\`\n${stdout}\`\`\``), stdout)
    const tooLong = run([oldestNode(), 'changes.mjs', '2026-01-01'], { cwd: project, env: server })
    await assert.rejects(tooLong, /changedSince goes back further than changes are known/)
  })

  await t.test(
    'the calendar is a file, and a feed that returns 304 while nothing has changed',
    {
      ...skipWithoutTool(parser),
    },
    async (t) => {
      const { stdout } = await run([oldestNode(), 'calendar.mjs'], { cwd: project, env })
      assert.deepEqual(
        (await eventsIn(stdout)).map(({ summary, start }) => `${start} ${summary}`),
        [
          '2026-11-13 Book the Köln fair',
          '2026-11-16T17:00:00.000Z Confirm the linen order',
          '2026-11-16 Send the samples',
          '2026-11-17T00:00:00.000Z Call Oslo',
        ],
      )

      const feed = spawn(oldestNode(), ['calendar.mjs'], { cwd: project, env: { ...env, PORT: '0' } })
      t.after(() => feed.kill('SIGKILL'))
      const [line] = (await once(createInterface(feed.stdout), 'line')) as [string]
      const url = /http:\S+/.exec(line)?.[0] ?? ''
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/tasks\.ics$/)
      const first = await fetch(url)
      assert.equal(first.headers.get('content-type'), 'text/calendar; charset=utf-8')
      assert.equal((await eventsIn(await first.text())).length, 4)
      const tag = first.headers.get('etag') ?? ''
      // Without a persistent connection: the feed may close an idle one just when it is reused.
      const ask = (etag: string, method = 'GET') =>
        fetch(url, { method, headers: { 'if-none-match': etag, connection: 'close' } })
      assert.deepEqual([(await ask(tag)).status, (await ask(`W/${tag}`)).status], [304, 304])
      const head = await ask('"other"', 'HEAD')
      assert.deepEqual([head.status, head.headers.get('etag'), await head.text()], [200, tag, ''])
      for (const path of ['/', '/tasks.ics', `${new URL(url).pathname}x`])
        assert.equal((await fetch(new URL(path, url))).status, 404, path)
      assert.equal((await ask('', 'POST')).status, 405)

      const misused = (more: Record<string, string>) =>
        run([oldestNode(), 'calendar.mjs'], { cwd: project, env: { ...env, ...more } })
      await assert.rejects(misused({ PORT: 'web' }), /\nPORT: must be a number from 0 to 65535\n$/)
      await assert.rejects(misused({ PORT: new URL(url).port }), /\nlisten EADDRINUSE: [^\n]+\n$/)
      await assert.rejects(misused({ VITRINE_KEY: '' }), /\nkey: not a workspace key; is it set, [^\n]+\n$/)

      const more = Array.from({ length: 10_010 }, (_, n) => ({ id: `more-${n}`, dueAt: '2026-12-01T10:00:00.000Z' }))
      await service.addTasks(more.slice(0, 250))
      const pages = await ask(tag)
      assert.deepEqual([pages.status, (await eventsIn(await pages.text())).length], [200, 254])
      const before = service.logLines.length
      assert.equal((await ask(pages.headers.get('etag') ?? '')).status, 304)
      assert.equal(service.logLines.slice(before).filter((line) => line.includes('/v2/mcp')).length, 1)
      for (const [count, left] of [
        [2_010, '14'],
        [10_010, 'at least 8000'],
      ] as const) {
        await service.addTasks(more.slice(0, count))
        const cut = await run([oldestNode(), 'calendar.mjs'], { cwd: project, env })
        const note = `The first 2000 due dates; ${left} more are left out.`
        assert.equal(cut.stderr, `${note}\n`)
        assert.equal((await eventsIn(cut.stdout)).length, 2000)
        assert.ok(cut.stdout.includes(`\r\nX-WR-CALDESC:${note.replace(';', '\\;')}\r\n`))
      }

      await service.addTasks([{ id: 'new', dueAt: '2026-11-18T10:00:00.000Z' }])
      const changed = await ask(tag)
      const events = await eventsIn(await changed.text())
      assert.deepEqual([changed.status, events[4]?.start], [200, '2026-11-18T10:00:00.000Z'])
      await service.stop()
      assert.equal((await ask(tag)).status, 503)
      feed.kill('SIGTERM')
      assert.deepEqual(await once(feed, 'exit'), [0, null])
    },
  )
})
