/** A list with current rows as clients and operators see it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileDefinition } from '../../src/resources/declared/compile.ts'
import { listRows } from '../../src/resources/rows.ts'
import { workspaceOrThrow } from '../../src/workspaces/records.ts'
import { addRecords } from '../support/import-records.ts'
import { listOf } from '../support/pages.ts'
import { at, NOON, type Service, startService } from '../support/service.ts'
import { callTool, type EndpointName, endpoints } from '../support/tool-calls.ts'
import { currentOrders, orders } from './orders/contract.ts'

const add = (service: Service, records: object[]) => addRecords(service.operator, currentOrders, 'acme', records, at(0))

const RECORDS = [
  { id: 'early', supplier: 'Alvés', deliveryAt: at(0), total: '1.50', orderedOn: '2026-11-01', buyer: 'Ann@x.example' },
  { id: 'late', supplier: 'Berg', deliveryAt: at(24 * 60), total: '10', urgent: true, pieces: 3, status: 'sent' },
  { id: 'open', supplier: 'Berg', orderedOn: '2026-11-02' },
  { id: 'closed', supplier: 'Closed', status: 'closed' },
  { id: 'paused', supplier: 'Paused', paused: true },
  { id: 'soon', supplier: 'Soon', deliveryAt: at(-5), embargo: at(10) },
  { id: 'was', supplier: 'Was', deliveryAt: at(60), embargo: at(-10) },
]

test('the tool narrows the list by every kind of field, and names values that cannot match', async (t) => {
  const service = await startService(t, { resources: [orders] })
  await add(service, RECORDS)
  const { token } = await service.createKey({ permissions: ['orders:read'] })
  const server = { url: service.url, key: token }
  const rest = await service.get('/orders', { authorization: `Bearer ${token}` })
  assert.equal(
    ((await rest.json()) as { orders: { id: string }[] }).orders.map(({ id }) => id).join(' '),
    'early was late open',
  )
  for (const endpoint of Object.keys(endpoints) as EndpointName[]) {
    const ask = async (args: object) => JSON.parse((await callTool(server, endpoint, 'list_orders', args)).text)
    const ids = async (args: object) => ((await ask(args)).orders as { id: string }[]).map(({ id }) => id).join(' ')
    assert.equal(await ids({}), 'early was late open')
    for (const [args, expected] of [
      [{ deliveryAtAfter: at(1) }, 'was late'],
      [{ deliveryAtAfter: at(60), deliveryAtBefore: at(61) }, 'was'],
      [{ deliveryAtBefore: '2026-11-16' }, 'early was'],
      [{ deliveryAtAfter: '2026-11-16', supplier: 'Berg' }, 'late'],
      [{ orderedOnAfter: '2026-11-02' }, 'open'],
      [{ orderedOnBefore: '2026-11-02' }, 'early'],
      [{ orderedOn: '2026-11-01' }, 'early'],
      [{ urgent: true }, 'late'],
      [{ urgent: false }, 'early was open'],
      [{ total: '1.5' }, 'early'],
      [{ pieces: 3 }, 'late'],
      [{ buyer: 'ann@X.example' }, 'early'],
      [{ status: 'sent' }, 'late'],
      [{ query: 'lvé' }, 'early'],
      [{ ids: ['late', 'closed', 'soon', 'early'] }, 'early late'],
      [{ supplier: 'Berg', urgent: false }, 'open'],
    ] as const)
      assert.equal(await ids(args), expected, `${endpoint} ${JSON.stringify(args)}`)
    const counts = async (countBy: string) =>
      (await ask({ countBy })).counts.map(({ value, count }: Record<string, unknown>) => `${value} ${count}`).join()
    assert.equal(await counts('urgent'), 'false 3,true 1')
    assert.equal(await counts('status'), 'draft 3,sent 1')
    assert.equal(await counts('supplier'), 'Berg 2,Alvés 1,Was 1')
    assert.deepEqual((await ask({ supplier: 'Bergg' })).suggestions, { supplier: ['Berg', 'Alvés', 'Was'] })
    for (const [args, problem] of [
      [{ deliveryAtAfter: at(1), deliveryAtBefore: at(1) }, 'deliveryAtAfter must be earlier than deliveryAtBefore'],
      [{ orderedOnAfter: '2026-11-02', orderedOnBefore: '2026-11-01' }, 'orderedOnAfter must be earlier than'],
      [{ deliveryAtAfter: 'tomorrow' }, 'deliveryAtAfter must be a valid date'],
      [{ orderedOn: '2026-02-30' }, 'orderedOn must be'],
      [{ buyer: 'ann' }, 'buyer must be a whole email address'],
      [{ total: '1,5' }, 'total must be'],
      [{ status: 'closed' }, 'status must be one of draft, sent'],
      [{ supplier: ' ' }, 'supplier must not be empty'],
      [{ ids: [] }, 'ids must not be empty'],
      [{ embargoAfter: at(0) }, 'embargoAfter'],
    ] as const)
      await assert.rejects(ask(args), (error: Error) => error.message.includes(problem), JSON.stringify(args))
  }
})

test('a hidden row appears at its instant, not before, and is hidden again if the clock is set back', async (t) => {
  const service = await startService(t, { resources: [orders] })
  await add(service, RECORDS)
  const { token } = await service.createKey({ permissions: ['orders:read'] })
  const ids = async (minutes: number) => {
    service.time.now = NOON + minutes * 60_000
    const response = await service.get('/orders', { authorization: `Bearer ${token}` })
    return ((await response.json()) as { orders: { id: string }[] }).orders.map(({ id }) => id).join(' ')
  }
  assert.equal(await ids(0), 'early was late open')
  assert.equal(await ids(9.999), 'early was late open')
  assert.equal(await ids(10), 'soon early was late open')
  assert.equal(await ids(11), 'soon early was late open')
  assert.equal(await ids(-5), 'early was late open', 'the clock was set back')
  assert.equal(await ids(-11), 'early late open')
  assert.equal(await ids(12), 'soon early was late open')
})

test('fields that are never null also decide which rows are current', async (t) => {
  const shownOn = { type: 'instant' as const, description: 'When it is shown.' }
  const urgent = { type: 'boolean' as const, description: 'Whether it is urgent.' }
  const id = { type: 'text' as const, maxLength: 20, description: 'The id.' }
  const offers = compileDefinition({
    ...{ name: 'offers', singular: 'offer', state: 'published', description: 'Offers.' },
    fields: { id, shownOn, urgent },
    current: { shownOn: 'past', urgent: [true, false] },
    tool: { description: 'List offers.' },
    example: { id: 'a', shownOn: at(0), urgent: true },
  })
  const service = await startService(t, { resources: [offers] })
  const records = [
    { id: 'now', shownOn: at(0), urgent: true },
    { id: 'soon', shownOn: at(10), urgent: false },
  ]
  await addRecords(service.operator, listOf(offers), 'acme', records, at(0))
  const { token } = await service.createKey({ permissions: ['offers:read'] })
  const ids = async () => {
    const { offers } = (await (await service.get('/offers', { authorization: `Bearer ${token}` })).json()) as {
      offers: { id: string }[]
    }
    return offers.map(({ id }) => id)
  }
  assert.deepEqual(await ids(), ['now'])
  service.time.now += 10 * 60_000
  assert.deepEqual(await ids(), ['now', 'soon'])
})

test('an operator sees why a row is not in the list', async (t) => {
  const service = await startService(t, { resources: [orders] })
  await add(service, RECORDS)
  const states = await service.operator.transaction(async (tx) => {
    const all: string[] = []
    const workspace = await workspaceOrThrow(tx, 'acme')
    const { rows: every } = await listRows(tx, currentOrders, workspace, { all: true, limit: 100 })
    for await (const rows of every) for (const { row, whyNotListed } of rows) all.push(`${row.id} ${whyNotListed}`)
    const current: string[] = []
    const { rows: listed } = await listRows(tx, currentOrders, workspace, { all: false, limit: 100 })
    for await (const rows of listed) for (const { row } of rows) current.push(String(row.id))
    return { all, current }
  })
  assert.ok(states.all.includes('closed closed'), String(states.all))
  assert.ok(states.all.includes('paused paused true'), String(states.all))
  const real = Date.now()
  assert.equal(
    states.all.some((state) => state.startsWith('soon hidden until')),
    real < NOON + 600_000,
  )
  assert.ok(
    states.current.includes('early') && !states.current.includes('closed') && !states.current.includes('paused'),
  )
})
