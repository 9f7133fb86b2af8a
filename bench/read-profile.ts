/** Where the time of a read after a change goes, within the process, step by step: `node bench/read-profile.ts`. */
import { hash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { openPublicStore, parseDatabaseUrl } from '../src/database/open.ts'
import { resources } from '../src/resources/index.ts'
import { ServedBody } from '../src/resources/response-cache.ts'
import { connectAsWriter, createDatabase, rowChanger, WORKSPACE } from './growth/databases.ts'
import { QUOTA } from './harness/vitrine.ts'
import { median } from './report/statistics.ts'
import { table } from './report/table.ts'

const ROUNDS = 6000
const WARM_UP_ROUNDS = 1000

const tasks = resources.find(({ path }) => path === '/tasks')
if (tasks === undefined) throw new Error('there is no resource of tasks')
const folder = mkdtempSync(join(tmpdir(), 'vitrine-bench-'))
const { path, keyHash } = await createDatabase(folder, { name: 'profile', tasks: 100 })
const store = await openPublicStore(parseDatabaseUrl(`sqlite:${path}`), resources, {
  defaultQuota: QUOTA,
  onUseFailure: () => {},
})
const writer = connectAsWriter(path)
const retitle = rowChanger(writer, 'tasks', 'title')
const micros = new Map<string, number[]>()
let body: Buffer = Buffer.alloc(0)

async function timed<T>(step: string, work: () => T | Promise<T>): Promise<T> {
  const startedAt = process.hrtime.bigint()
  const result = await work()
  const took = Number(process.hrtime.bigint() - startedAt) / 1000
  const all = micros.get(step) ?? []
  all.push(took)
  micros.set(step, all)
  return result
}

for (let round = 0; round < ROUNDS; round++) {
  if (round === WARM_UP_ROUNDS) micros.clear()
  retitle(WORKSPACE, 'task_1', `Changed for the time ${100_000 + round}`)
  const scope = { workspaceId: WORKSPACE, now: Date.now(), only: null }
  await timed('key, its workspace and revision', () => store.admit(keyHash, round))
  const reading = await timed('the list', () => tasks.read(store, scope))
  await timed('the list once more, its pages now in memory', () => tasks.read(store, scope))
  body = reading?.body ?? body
  await timed('the ETag', () => new ServedBody(body, Number.POSITIVE_INFINITY).etag)
}
const hashes = { 'SHA-256': 'sha256', 'SHA-1': 'sha1', MD5: 'md5', BLAKE2b: 'blake2b512' }
for (let round = 0; round < WARM_UP_ROUNDS; round++) {
  for (const [name, algorithm] of Object.entries(hashes)) await timed(`${name} of it`, () => hash(algorithm, body))
  await timed('CRC-32 of it', () => crc32(body))
}
writer.close()
await store.close()
rmSync(folder, { recursive: true })

const rows = [...micros].map(([step, all]) => [step, median(all).toFixed(1)])
process.stdout.write(`A body of ${body.length} bytes; medians.\n\n${table(['step', 'µs'], rows)}\n`)
