import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Admission } from '../../../src/database/admission.ts'
import { toolFormat } from '../../../src/mcp/2026-07-28/tools.ts'
import { listTool } from '../../../src/mcp/list-tool.ts'
import { compileDefinition } from '../../../src/resources/declared/compile.ts'
import { isList } from '../../../src/resources/define.ts'
import { ResponseCache } from '../../../src/resources/response-cache.ts'
import { createWorkspace } from '../../support/changes.ts'
import { freshDatabaseUrl } from '../../support/database.ts'
import { openStore, servedStore } from '../../support/operator.ts'
import { addRecords, listOf } from '../../support/written-lists.ts'
import { orders } from './published-orders.ts'

const AT = '2026-11-15T12:00:00.000Z'

test('a new definition changes the etag of every result, even of a list whose digest is its revision', async (t) => {
  const url = await freshDatabaseUrl(t)
  const [first, next] = [orders({}), orders({ limit: 100 })].map((definition) => compileDefinition(definition))
  assert.ok(first && next)
  const operator = await openStore(t, url, [first])
  const workspace = await createWorkspace(operator, { name: 'Acme', slug: 'acme' }, 'test', AT)
  const records = Array.from({ length: 101 }, (_, n) => ({ id: `o${n}`, supplier: 'Alvés', status: 'sent' }))
  await addRecords(operator, listOf(first), 'acme', records, AT)
  const admission: Admission = {
    ...{
      keyId: 'k',
      isConnection: false,
      workspaceId: workspace.id,
      permissions: new Set(),
      only: null,
      available: true,
    },
    ...{ quota: { limit: 1, windowSeconds: 1 }, window: { used: 0, resetsAt: 0 }, revision: 1, now: Date.parse(AT) },
  }
  const ask = async (resource: typeof first, ifNoneMatch?: string) => {
    assert.ok(isList(resource))
    const call = listTool(resource, new ResponseCache(await servedStore(t, url, [resource]), 0), toolFormat)
    const bytes = await call(ifNoneMatch === undefined ? {} : { ifNoneMatch }, admission)
    const text = bytes.map((part) => (typeof part === 'string' ? part : part.toString('latin1'))).join('')
    return JSON.parse(text.slice(0, -1)).structuredContent as { etag: string; orders?: object[]; unchanged?: true }
  }
  const { etag, orders: rows } = await ask(first)
  assert.equal(rows?.length, 50)
  assert.equal((await ask(first, etag)).unchanged, true)
  assert.equal((await ask(next, etag)).orders?.length, 100)
})
