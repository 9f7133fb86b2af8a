/** A list with current rows as clients and operators see it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addRecords } from '../support/import-records.ts'
import { at, type Service, startService } from '../support/service.ts'
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
