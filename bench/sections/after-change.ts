import type { DatabaseSync } from 'node:sqlite'
import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { Keys } from '../../src/keys/life-cycle.ts'
import { resources } from '../../src/resources/index.ts'
import { createWorkspace } from '../../src/resources/workspace/workspaces.ts'
import { connectAsWriter } from '../growth/databases.ts'
import { bareProgram } from '../harness/bare.ts'
import { loadWithChanges, type Visitor } from '../harness/changing-load.ts'
import { isJson } from '../harness/checks.ts'
import { spentNs } from '../harness/cpu-time.ts'
import { exchange } from '../harness/exchange.ts'
import { asKeyHolder, type Exhibit, openExhibit } from '../harness/exhibit.ts'
import { workspaceFixture } from '../harness/fixture.ts'
import { type BenchOptions, CONNECTIONS, compile, paceOf } from '../harness/pace.ts'
import type { Server } from '../harness/server.ts'
import { onStage } from '../harness/stage.ts'
import { median, ratios, spreadOf } from '../harness/statistics.ts'
import { table, withSpread } from '../harness/table.ts'
import { load } from '../load.ts'

export const title = 'Every request after a change'

export const run = (options: BenchOptions): Promise<string> =>
  onStage(async (stage) => {
    const exhibit = await openExhibit(stage)
    const { vitrine, key } = exhibit
    const request = asKeyHolder(key, '/tasks')
    const recorded = await exchange(vitrine.port, request)
    const bare = await stage.require(bareProgram(recorded, request, stage.folder))
    for (const server of [bare, vitrine]) await compile(server, request, 200)
    const database = connectAsWriter(exhibit.databaseUrl.replace('sqlite:', ''))
    const visitors = await inviteVisitors(exhibit, database)
    const bodyLength = recorded.body.length

    const plainly =
      ({ port }: Server) =>
      (seconds: number) =>
        load({ port, request, connections: CONNECTIONS, seconds, status: 200, bodyLength })
    const afterChanges =
      ({ port }: Server, showsChange: boolean) =>
      (seconds: number) =>
        loadWithChanges(port, visitors, seconds, { bodyLength, showsChange })
    const contestants = [
      { name: 'bare', server: bare, strain: afterChanges(bare, false) },
      { name: 'bare, nothing changes', server: bare, strain: plainly(bare) },
      { name: 'vitrine, nothing changes', server: vitrine, strain: plainly(vitrine) },
      { name: 'vitrine, every request after a change', server: vitrine, strain: afterChanges(vitrine, true) },
    ].map((contestant) => ({ ...contestant, perCpuSecond: [] as number[] }))

    const pace = paceOf(options)
    for (const { strain } of contestants) await strain(pace.warmUpSeconds)
    for (let round = 0; round < pace.rounds; round++)
      for (const { server, strain, perCpuSecond } of contestants) {
        const before = server.cpuTime()
        const { requests } = await strain(pace.roundSeconds)
        perCpuSecond.push(requests / (spentNs(before, server.cpuTime()) / 1e9))
        server.emptyLog()
      }
    await checkLastAnswers(vitrine, visitors)
    database.close()

    const base = contestants[0]?.perCpuSecond ?? []
    return [
      `${CONNECTIONS} connections, each with a workspace and a key of its own. The load commits a change of the ` +
        'workspace, then sends the request, and the answer must show that very change. The bare server is asked in the ' +
        'same rhythm, and answers what it always does. Only CPU is compared: per ' +
        'second of the clock, it is the commits that would be measured.',
      table(
        ['contestant', 'requests per CPU-second, against bare', 'CPU µs a request'],
        contestants.map(({ name, perCpuSecond }) => [
          name,
          name === 'bare' ? '1' : withSpread(spreadOf(ratios(perCpuSecond, base))),
          (1e6 / median(perCpuSecond)).toFixed(1),
        ]),
      ),
    ].join('\n\n')
  })

interface Guest extends Visitor {
  tasksNow(): unknown
}

/** A copy of the fixture's workspace for each connection, whose first task gets a new title with every change. */
async function inviteVisitors({ databaseUrl, tasks }: Exhibit, database: DatabaseSync): Promise<Guest[]> {
  const store = await openOperatorStore(parseDatabaseUrl(databaseUrl), resources, { create: false })
  const keys = new Keys(store, 'bench')
  const columns = database
    .prepare(`SELECT name FROM pragma_table_info('tasks') WHERE name NOT IN ('seq', 'workspace_id')`)
    .all()
    .map(({ name }) => name)
    .join(', ')
  const copyTasks = database.prepare(
    `INSERT INTO tasks (workspace_id, ${columns})
     SELECT ?, ${columns} FROM tasks WHERE workspace_id = (SELECT id FROM workspaces WHERE slug = ?) ORDER BY seq`,
  )
  const retitle = database.prepare('UPDATE tasks SET title = ? WHERE workspace_id = ? AND id = ?')
  const [first] = tasks.tasks
  if (first === undefined) throw new Error('the fixture has no task to change')
  const guests: Guest[] = []
  for (let i = 0; i < CONNECTIONS; i++) {
    const slug = `visitor-${i}`
    const { id } = await createWorkspace(store, { name: slug, slug }, 'bench', new Date().toISOString())
    copyTasks.run(id, workspaceFixture.slug)
    const quota = { limit: 1e9, windowSeconds: 60 }
    const permissions = ['workspace:read', 'tasks:read']
    const { token } = await keys.create(slug, { label: slug, permissions, quota, expiresAt: null })
    let title = first.title
    let changes = 0
    guests.push({
      request: asKeyHolder(token, '/tasks'),
      change() {
        // Always as long as before, so that answers keep their length.
        title = first.title.replace(/\d+/, (digits) => String(++changes).padStart(digits.length, '0'))
        retitle.run(title, id, first.id)
        return Buffer.from(JSON.stringify(title))
      },
      tasksNow: () => ({ tasks: [{ ...first, title }, ...tasks.tasks.slice(1)] }),
    })
  }
  await store.close()
  return guests
}

async function checkLastAnswers({ port }: Server, guests: readonly Guest[]): Promise<void> {
  for (const { request, tasksNow } of guests) {
    const fault = isJson(tasksNow())(await exchange(port, request))
    if (fault !== undefined) throw new Error(`Vitrine is refused: ${fault}`)
  }
}
