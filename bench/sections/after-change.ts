import type { DatabaseSync } from 'node:sqlite'
import { connectAsWriter } from '../growth/databases.ts'
import { bareProgram } from '../harness/bare.ts'
import { isJson } from '../harness/checks.ts'
import { exchange } from '../harness/exchange.ts'
import { type BenchOptions, CONNECTIONS, scheduleFor, warmUpJit } from '../harness/schedule.ts'
import { measureCpu, type Server } from '../harness/server.ts'
import { withTestbed } from '../harness/testbed.ts'
import { getWithKey, type ServedFixture, serveFixture } from '../harness/vitrine.ts'
import { createWorkspaces } from '../harness/workspaces.ts'
import { type ChangingClient, loadWithChanges } from '../load/changing-load.ts'
import { load } from '../load/load.ts'
import { median, ratios, spreadOf } from '../report/statistics.ts'
import { table, withSpread } from '../report/table.ts'

export const title = 'Every request after a change'

export const run = (options: BenchOptions): Promise<string> =>
  withTestbed(async (testbed) => {
    const fixture = await serveFixture(testbed)
    const { vitrine, key } = fixture
    const request = getWithKey(key, '/tasks')
    const recorded = await exchange(vitrine.port, request)
    const bare = await testbed.require(bareProgram(recorded, request, testbed.folder))
    for (const server of [bare, vitrine]) await warmUpJit(server, request, 200)
    const database = connectAsWriter(fixture.databaseUrl.replace('sqlite:', ''))
    const clients = await createClients(fixture, database)
    const bodyLength = recorded.body.length

    const plainly =
      ({ port }: Server) =>
      (seconds: number) =>
        load({ port, request, connections: CONNECTIONS, seconds, status: 200, bodyLength })
    const afterChanges =
      ({ port }: Server, showsChange: boolean) =>
      (seconds: number) =>
        loadWithChanges(port, clients, seconds, { bodyLength, showsChange })
    const cases = [
      { name: 'bare', server: bare, applyLoad: afterChanges(bare, false) },
      { name: 'bare, nothing changes', server: bare, applyLoad: plainly(bare) },
      { name: 'vitrine, nothing changes', server: vitrine, applyLoad: plainly(vitrine) },
      { name: 'vitrine, every request after a change', server: vitrine, applyLoad: afterChanges(vitrine, true) },
    ].map((one) => ({ ...one, perCpuSecond: [] as number[] }))

    const schedule = scheduleFor(options)
    for (const { applyLoad } of cases) await applyLoad(schedule.warmUpSeconds)
    for (let round = 0; round < schedule.rounds; round++)
      for (const { server, applyLoad, perCpuSecond } of cases) {
        const { result, cpuSeconds } = await measureCpu(server, () => applyLoad(schedule.roundSeconds))
        perCpuSecond.push(result.requests / cpuSeconds)
        server.emptyLog()
      }
    await checkLastResponses(vitrine, clients)
    database.close()

    const base = cases[0]?.perCpuSecond ?? []
    return [
      `${CONNECTIONS} connections, each with a workspace and a key of its own. The load commits a change of the ` +
        'workspace, then sends the request, and the answer must show that very change. The bare server is asked in the ' +
        'same rhythm, and answers what it always does. Only CPU is compared: per ' +
        'second of the clock, it is the commits that would be measured.',
      table(
        ['server', 'requests per CPU-second, against bare', 'CPU µs a request'],
        cases.map(({ name, perCpuSecond }) => [
          name,
          name === 'bare' ? '1' : withSpread(spreadOf(ratios(perCpuSecond, base))),
          (1e6 / median(perCpuSecond)).toFixed(1),
        ]),
      ),
    ].join('\n\n')
  })

interface WorkspaceClient extends ChangingClient {
  tasksNow(): unknown
}

/** One for each connection, with a workspace of its own whose first task gets a new title with every change. */
async function createClients(
  { databaseUrl, tasks }: ServedFixture,
  database: DatabaseSync,
): Promise<WorkspaceClient[]> {
  const retitle = database.prepare('UPDATE tasks SET title = ? WHERE workspace_id = ? AND id = ?')
  const [first] = tasks.tasks
  if (first === undefined) throw new Error('the fixture has no task to change')
  const slugs = Array.from({ length: CONNECTIONS }, (_, i) => `client-${i}`)
  return (await createWorkspaces(databaseUrl, slugs)).map(({ id, key }) => {
    let title = first.title
    let changes = 0
    return {
      request: getWithKey(key, '/tasks'),
      change() {
        // Always as long as before, so that responses keep their length.
        title = first.title.replace(/\d+/, (digits) => String(++changes).padStart(digits.length, '0'))
        retitle.run(title, id, first.id)
        return Buffer.from(JSON.stringify(title))
      },
      tasksNow: () => ({ tasks: [{ ...first, title }, ...tasks.tasks.slice(1)] }),
    }
  })
}

async function checkLastResponses({ port }: Server, clients: readonly WorkspaceClient[]): Promise<void> {
  for (const { request, tasksNow } of clients) {
    const fault = isJson(tasksNow())(await exchange(port, request))
    if (fault !== undefined) throw new Error(`Vitrine answers wrongly: ${fault}`)
  }
}
