import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChainState } from '../../src/audit/chain-watch.ts'
import { chainState } from '../../src/web/audit/audit.ts'
import { html } from '../../src/web/html.ts'

const NOON = Date.parse('2026-11-15T12:00:00.000Z')
const time = { nowMs: NOON, timezone: 'UTC' }
const state = { verifiedTo: 1947, end: 1947, since: NOON, prune: undefined, fault: null }

const shown = (chain: ChainState) => String(html`${chainState(chain, time)}`.text).replace(/<[^>]+>/g, '')

test('the page shows which entries were removed because of their age, and when', () => {
  assert.match(shown(state), /today 12:00: no entry was changed or removed\./)
  const prune = { through: 1733, hash: '', at: '2026-11-14T03:00:00.000Z' }
  const said = shown({ ...state, prune })
  assert.match(
    said,
    /today 12:00: no entry was changed\. Older entries, up to 1,733, were pruned, most recently on .*14 Nov/,
  )
})
