import assert from 'node:assert/strict'
import { test } from 'node:test'
import published from '../../../src/mcp/2026-07-28/contract.json' with { type: 'json' }
import { errors } from '../../../src/mcp/2026-07-28/errors.ts'

test('the contract names each error number once', () => {
  const { code } = published.schemas.McpError.properties.error.properties
  assert.deepEqual(code.enum, [...new Set(Object.values(errors).map(({ rpcCode }) => rpcCode))])
})
