import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { listsOf } from '../../src/lists/definition.ts'
import { loadDeclared } from '../../src/resources/declared/load.ts'
import type { Resource } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { addRows } from '../../test/support/written-lists.ts'
import { connectAsWriter } from '../growth/databases.ts'
import { declaredGrowth } from '../growth/declared.ts'
import { changingClients, checkLastResponses } from '../harness/changing-clients.ts'
import { isJson } from '../harness/checks.ts'
import { compare, isFailure, type Measurement, type Target } from '../harness/compare.ts'
import { DECLARED, writeDefinitions } from '../harness/declared.ts'
import { exchange } from '../harness/exchange.ts'
import { taskFixture, workspaceFixture } from '../harness/fixture.ts'
import { spentNs } from '../harness/process-stats.ts'
import { type BenchOptions, CONNECTIONS, type Schedule, scheduleFor } from '../harness/schedule.ts'
import { measureCpu, type Server, type ServerProgram } from '../harness/server.ts'
import { type Testbed, withTestbed } from '../harness/testbed.ts'
import { getWithKey, PROGRAM, prepareVitrine } from '../harness/vitrine.ts'
import { createWorkspaces } from '../harness/workspaces.ts'
import { loadWithChanges } from '../load/changing-load.ts'
import { median, ratios, spreadOf } from '../report/statistics.ts'
import { table, withSpread } from '../report/table.ts'

export const title = 'Declared resources'

const COUNT = 10
const PERMISSIONS = `workspace:read,tasks:read,${DECLARED}:read`

/** What resources in files cost: the server that has them, and their own lists against `tasks`, which is written by hand. */
export const run = (options: BenchOptions): Promise<string> =>
  withTestbed(async (testbed) => {
    const folder = writeDefinitions(testbed.folder, COUNT)
    const programs = {
      none: await prepare(testbed, 'none'),
      again: await prepare(testbed, 'none again'),
      ten: await prepare(testbed, 'ten', folder),
    }
    return [
      `${COUNT} resources with the fields, order, filters and searched texts of tasks, published, on SQLite. "None again" is a ` +
        'second server without any, and shows how far two equal servers differ.',
      await startTable(testbed, Object.values(programs), options),
      await tasksTable(testbed, Object.values(programs), options),
      await listTable(testbed, programs.ten, folder, options),
      await declaredGrowth(testbed.folder, folder),
    ].join('\n\n')
  })

interface Prepared {
  name: string
  program: ServerProgram
  databaseUrl: string
  key: string
}

/** A database of its own for each: use records of another server would be changes to look at. */
async function prepare(testbed: Testbed, name: string, definitions?: string): Promise<Prepared> {
  const folder = join(testbed.folder, name.replace(' ', '-'))
  mkdirSync(folder)
  const settings = { NODE_COMPILE_CACHE: join(testbed.folder, 'compile-cache') }
  const declared = definitions === undefined ? {} : { RESOURCES: definitions }
  const vitrine = prepareVitrine(folder, undefined, PROGRAM, { ...settings, ...declared })
  const { slug } = workspaceFixture
  const key = await vitrine.addWorkspace(slug)
  const { databaseUrl, program } = vitrine
  const prepared = { name, databaseUrl, program: { ...program, name, probe: getWithKey(key, '/tasks') } }
  if (definitions === undefined) return { ...prepared, key }
  await vitrine.runCommand('work', 'import', '--workspace', slug, join(folder, 'tasks.ndjson'))
  return { ...prepared, key: await vitrine.addKey(slug, '--permissions', PERMISSIONS) }
}

const NOTHING = { threads: new Map<string, number>(), ticks: 0 }

async function startTable(testbed: Testbed, programs: readonly Prepared[], { quick, rounds }: BenchOptions) {
  const trials = programs.map((each) => ({ ...each, startsMs: [] as number[], cpuMs: [] as number[] }))
  const starts = rounds ?? (quick ? 5 : 15)
  // The first start only fills the compile cache.
  for (let round = 0; round <= starts; round++)
    for (const { program, startsMs, cpuMs } of trials) {
      const server = await testbed.require(program)
      if (round > 0) {
        startsMs.push(server.startMs)
        cpuMs.push(spentNs(NOTHING, server.cpuTime()) / 1e6)
      }
      await server.stop()
    }
  const [base] = trials as [(typeof trials)[number]]
  const more = (own: number[], others: number[]) =>
    withSpread(spreadOf(own.map((ms, round) => ms - (others[round] as number))), 0)
  return [
    `### Start, ${starts} of each in turns`,
    table(
      ['declared', 'ms to the first 200', 'ms more', 'CPU ms', 'CPU ms more'],
      trials.map(({ name, startsMs, cpuMs }) => [
        name,
        median(startsMs).toFixed(0),
        name === base.name ? '' : more(startsMs, base.startsMs),
        median(cpuMs).toFixed(0),
        name === base.name ? '' : more(cpuMs, base.cpuMs),
      ]),
    ),
  ].join('\n\n')
}

const PASSES = 3

/** New processes for every pass: two processes of the same program are compiled and laid out a little differently. */
async function tasksTable(testbed: Testbed, programs: readonly Prepared[], options: BenchOptions): Promise<string> {
  const seen = programs.map((): number[] => [])
  for (let pass = 0; pass < (options.quick ? 1 : PASSES); pass++) {
    const targets: (Target & { server: Server })[] = []
    for (const { name, program, key } of programs) {
      const server = await testbed.require(program)
      server.pause()
      targets.push({ name, server, request: getWithKey(key, '/tasks'), check: isJson({ tasks: taskFixture }) })
    }
    for (const { server } of targets) server.resume()
    for (const [i, { perCpuSecond }] of (await measured(targets, scheduleFor(options))).entries())
      seen[i]?.push(...perCpuSecond)
    for (const { server } of targets) await server.stop()
  }
  const names = programs.map(({ name }) => name)
  return ['### `GET /tasks`, 100 tasks, cached', costTable('declared', names, seen)].join('\n\n')
}

async function measured(targets: readonly Target[], schedule: Schedule): Promise<Measurement[]> {
  const results = await compare(targets, { ...schedule, warmUpSeconds: 2 * schedule.warmUpSeconds, latencySeconds: 0 })
  return results.map((result) => {
    if (isFailure(result)) throw new Error(`${result.name}: ${result.failure}`)
    return result
  })
}

const costTable = (head: string, names: readonly string[], perCpuSecond: readonly number[][]): string =>
  table(
    [head, 'CPU µs a request', `times ${names[0]}`],
    names.map((name, i) => [
      name,
      (1e6 / median(perCpuSecond[i] ?? [])).toFixed(1),
      i === 0 ? '1' : withSpread(spreadOf(ratios(perCpuSecond[0] ?? [], perCpuSecond[i] ?? [])), 3),
    ]),
  )

/** Both lists of one process, so that nothing but the list differs. */
async function listTable(
  testbed: Testbed,
  { program, key, databaseUrl }: Prepared,
  folder: string,
  options: BenchOptions,
) {
  const names = ['tasks', DECLARED]
  const lists = names.map((name) => `\`GET /${name}\``)
  const schedule = scheduleFor(options)
  const database = connectAsWriter(databaseUrl.replace('sqlite:', ''))
  const slugs = Array.from({ length: CONNECTIONS }, (_, i) => `client-${i}`)
  const all = [...resources, ...loadDeclared(folder, resources)]
  const workspaces = await createWorkspaces(databaseUrl, slugs, all)
  await fillDeclared(databaseUrl, all, workspaces)
  const server = await testbed.require(program)
  const targets = names.map((name) => {
    return { name, server, request: getWithKey(key, `/${name}`), check: isJson({ [name]: taskFixture }) }
  })
  const bodyLength = (await exchange(server.port, getWithKey(key, '/tasks'))).body.length
  const cached = await measured(targets, schedule)

  const cases = names.map((name) => {
    const clients = changingClients(workspaces, database, name)
    const applyLoad = (seconds: number) =>
      loadWithChanges(server.port, clients, seconds, { bodyLength, showsChange: true })
    return { clients, applyLoad, perCpuSecond: [] as number[] }
  })
  for (const { applyLoad } of cases) await applyLoad(2 * schedule.warmUpSeconds)
  for (let round = 0; round < schedule.rounds; round++)
    for (const { applyLoad, perCpuSecond } of cases) {
      const { result, cpuSeconds } = await measureCpu(server, () => applyLoad(schedule.roundSeconds))
      perCpuSecond.push(result.requests / cpuSeconds)
      server.emptyLog()
    }
  for (const { clients } of cases) await checkLastResponses(server, clients)
  await server.stop()
  database.close()
  return [
    `### A declared list against tasks, ${bodyLength.toLocaleString('en')} bytes each`,
    costTable(
      'cached',
      lists,
      cached.map(({ perCpuSecond }) => perCpuSecond),
    ),
    costTable(
      'every request after a change',
      lists,
      cases.map(({ perCpuSecond }) => perCpuSecond),
    ),
  ].join('\n\n')
}

/** The declared list gets the tasks of each workspace. */
async function fillDeclared(databaseUrl: string, all: readonly Resource[], workspaces: readonly { id: string }[]) {
  const list = listsOf(all).find(({ name }) => name === DECLARED)
  if (list === undefined) throw new Error(`there is no definition of ${DECLARED}`)
  const store = await openOperatorStore(parseDatabaseUrl(databaseUrl), all, { create: false })
  for (const { id } of workspaces) await addRows(store, id, list, taskFixture, new Date().toISOString())
  await store.close()
}
