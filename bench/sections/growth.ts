/** What a read costs as a workspace, or the number of workspaces and keys, grows. Linux only: it reads /proc. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectAsWriter, makeDatabase, type Shape, shapes } from '../growth/databases.ts'
import { serveKeys } from '../growth/keys.ts'
import { Reader } from '../growth/reader.ts'
import { median } from '../harness/statistics.ts'

export const title = 'Growth'

export async function run({ quick }: { quick: boolean }): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-growth-'))
  try {
    const tasks = quick ? 100_000 : 1_000_000
    const keys = quick ? 10_000 : 100_000
    return [await stateTable(folder, tasks), await waveTable(folder, tasks), await keyTable(folder, keys, quick)].join(
      '\n\n',
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const ROUNDS = 15
const READS = 20
const filters: Record<string, Record<string, string>> = {
  '`GET /tasks`': {},
  'of a book': { bookKey: 'book0' },
  'of an assignee': { assigneeEmail: 'Person0@northwind.example' },
  'of both, due before': {
    bookKey: 'book0',
    assigneeEmail: 'person0@northwind.example',
    dueBefore: '2100-01-01T00:00:00Z',
  },
}

async function stateTable(folder: string, tasks: number): Promise<string> {
  const rows: { shape: Shape; readers: Reader[]; costs: number[][] }[] = []
  for (const shape of shapes(tasks)) {
    const { path, keyHash } = makeDatabase(folder, shape)
    const readers = Object.values(filters).map((args) => new Reader(path, keyHash, args))
    rows.push({ shape, readers, costs: readers.map(() => []) })
  }
  for (let round = -2; round < ROUNDS; round++)
    for (const { readers, costs } of rows)
      for (const [i, reader] of readers.entries()) {
        const some = await reader.costsOf(READS)
        if (round >= 0) costs[i]?.push(...some)
      }
  for (const { readers } of rows) for (const reader of readers) await reader.close()
  const base = rows[0]?.costs.map(median) ?? []
  const lines = rows.map(({ shape, costs }) => {
    const cells = costs.map(
      (cost, i) => `${median(cost).toFixed(0)} µs, ×${(median(cost) / (base[i] ?? 0)).toFixed(2)}`,
    )
    return `| ${shape.tasks.toLocaleString('en')} | ${shape.name} | ${cells.join(' | ')} |`
  })
  return [
    'A read after a change of the workspace, SQLite, within the process: key check, query, JSON and ETag. Medians, and the',
    'ratio to the same with 100 tasks.',
    '',
    `| tasks | state | ${Object.keys(filters).join(' | ')} |`,
    `|---|---|${Object.keys(filters)
      .map(() => '---|')
      .join('')}`,
    ...lines,
  ].join('\n')
}

const ONE_MOMENT = `iif(n % 1000, '2020-01-01T09:00:00.000Z', NULL)`

/** What it costs while tasks that woke at one moment are not marked yet, and how soon they are. */
async function waveTable(folder: string, tasks: number): Promise<string> {
  const calm = shapes(tasks)[3] as Shape
  const { path, keyHash } = makeDatabase(folder, { ...calm, name: 'woken at one moment', snoozedUntil: ONE_MOMENT })
  const writer = connectAsWriter(path)
  const lines: string[] = []
  let base = 0
  for (const unmarked of [0, 100, 1000, 10_000, 100_000]) {
    writer.exec(`UPDATE tasks SET snooze_expired = 0 WHERE seq <= ${unmarked}`)
    const reader = new Reader(path, keyHash)
    const costs: number[] = []
    for (let round = 0; round < 5; round++) costs.push(...(await reader.costsOf(READS)))
    base ||= median(costs)
    const startedAt = performance.now()
    const left = () =>
      Number(
        writer
          .prepare(
            `SELECT count(*) AS n FROM tasks WHERE seq <= ${unmarked} AND snooze_expired = 0 AND snoozed_until IS NOT NULL`,
          )
          .get()?.n,
      )
    const before = left()
    while (before > 100 && left() > 0 && performance.now() - startedAt < 4000)
      await new Promise((r) => setTimeout(r, 50))
    const rate = ((before - left()) / (performance.now() - startedAt)) * 1000
    lines.push(
      `| ${unmarked.toLocaleString('en')} | ${median(costs).toFixed(0)} µs, ×${(median(costs) / base).toFixed(2)} | ${before > 100 ? rate.toFixed(0) : 'not needed'} |`,
    )
    await reader.close()
    writer.exec('UPDATE tasks SET snooze_expired = 1 WHERE snooze_expired = 0')
  }
  writer.close()
  return [
    `Of ${tasks.toLocaleString('en')} tasks with expired snoozes, so many woke since they were last marked:`,
    '',
    '| woken, unmarked | a read after a change | marked in the background, tasks/s |',
    '|---|---|---|',
    ...lines,
  ].join('\n')
}

async function keyTable(folder: string, keys: number, quick: boolean): Promise<string> {
  const rows = [
    { name: '1 workspace, 1 key', server: await serveKeys(folder, 1, 1, keys), costs: [] as number[] },
    {
      name: `${(keys / 10).toLocaleString('en')} workspaces, ${keys.toLocaleString('en')} keys in turn`,
      server: await serveKeys(folder, keys / 10, 10, keys),
      costs: [] as number[],
    },
  ]
  for (const { server } of rows) await server.warmUp()
  for (let round = 0; round < (quick ? 2 : 4); round++)
    for (const { server, costs } of rows) costs.push(await server.costOf(quick ? 2 : 4))
  const base = median(rows[0]?.costs ?? [])
  const lines = rows.map(
    ({ name, server, costs }) =>
      `| ${name} | ${median(costs).toFixed(1)} µs | ×${(median(costs) / base).toFixed(2)} | ${server.memoryMib().toFixed(0)} |`,
  )
  for (const { server } of rows) await server.stop()
  return [
    '`GET /workspace` over HTTP, 32 connections:',
    '',
    '| | server CPU per request | against one key | resident MiB |',
    '|---|---|---|---|',
    ...lines,
  ].join('\n')
}

if (import.meta.main) process.stdout.write(`${await run({ quick: process.argv.includes('--quick') })}\n`)
