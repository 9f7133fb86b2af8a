import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { toolDefinition as tool20250326 } from '../../../src/mcp/2025-03-26/tools.ts'
import { toolDefinition as tool20260728 } from '../../../src/mcp/2026-07-28/tools.ts'
import { resources } from '../../../src/resources/index.ts'

test('the tools, which every conversation pays for, take at most 1,200 tokens in each version, whichever way they are counted', () => {
  for (const definition of [tool20250326, tool20260728]) {
    const json = JSON.stringify(resources.map((resource) => definition(resource)))
    assert.ok(json.length / 3.6 <= 1200, `${json.length} bytes`)
    assert.ok(countTokens(json) <= 1200)
  }
})
