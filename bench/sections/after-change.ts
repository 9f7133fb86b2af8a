import { connectAsWriter } from '../growth/databases.ts'
import { bareProgram } from '../harness/bare.ts'
import { changingClients, checkLastResponses } from '../harness/changing-clients.ts'
import { exchange } from '../harness/exchange.ts'
import { type BenchOptions, CONNECTIONS, scheduleFor, warmUpJit } from '../harness/schedule.ts'
import { measureCpu, type Server } from '../harness/server.ts'
import { withTestbed } from '../harness/testbed.ts'
import { getWithKey, serveFixture } from '../harness/vitrine.ts'
import { createWorkspaces } from '../harness/workspaces.ts'
import { loadWithChanges } from '../load/changing-load.ts'
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
    const slugs = Array.from({ length: CONNECTIONS }, (_, i) => `client-${i}`)
    const clients = changingClients(await createWorkspaces(fixture.databaseUrl, slugs), database)
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
