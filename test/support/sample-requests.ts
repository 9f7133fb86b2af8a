import type { LoggedRequest } from '../../src/keys/request-log.ts'
import { requestsPage } from '../../src/web/requests/requests.ts'
import type { RequestsModel } from '../../src/web/requests/table.ts'
import { keyDetails } from './sample-key-pages.ts'
import { ago, frame, frameIn, keys } from './sample-models.ts'

const MINUTE = 60_000

const logged = (minutes: number, more: Partial<LoggedRequest> = {}): LoggedRequest => ({
  id: 10_000 - minutes,
  at: ago(minutes * MINUTE),
  requestId: `9f851a5b-2792-49dd-9deb-6b2e4049a${String(minutes).padStart(3, '0')}`,
  keyId: keys[1]?.id ?? '',
  operation: 'GET /tasks',
  ...{ tool: null, arguments: null, status: 200, code: null, refused: null, ms: 3.4, bytes: 18_204 },
  ...{ address: '203.0.113.7', agent: 'stock-agent/1.4', omitted: 0 },
  ...more,
})

const mcp = { operation: 'POST /v2/mcp', agent: 'claude-code/2.1 (cli)', keyId: keys[0]?.id ?? '' }

/** Every kind of outcome. */
const requests: LoggedRequest[] = [
  logged(0, { ...mcp, tool: 'list_tasks', arguments: 'assigneeEmail,dueBefore,fields,limit', ms: 12.7 }),
  logged(1, { ...mcp, tool: 'tools/list', bytes: 2_828 }),
  logged(2, { status: 429, code: 'rate_limited', refused: 'over_quota', ms: 0.3, bytes: 290, omitted: 312 }),
  logged(3, { operation: 'GET /workspace', status: 403, code: 'forbidden', refused: 'forbidden', bytes: 260 }),
  logged(5, { status: 401, code: 'unauthorized', refused: 'paused', address: '2001:db8:85a3::8a2e:370:7334' }),
  logged(8, { ...mcp, tool: 'list_tasks', arguments: 'dueBefor', code: '-32602', bytes: 310 }),
  logged(13, { status: 500, code: 'internal_error', ms: 2_304 }),
  logged(21, { status: null, bytes: 0, agent: null, address: null }),
  logged(34, { keyId: 'key_0123456789abcdef01', agent: `x${'w'.repeat(900)}`, omitted: 1 }),
]

const requestsModel: RequestsModel = {
  frame: frameIn('requests'),
  key: null,
  keys,
  offered: keys,
  fields: { key: '', outcome: '', from: '', to: '', q: '' },
  errors: {},
  requests,
  open: null,
  before: null,
  older: '9966',
  isFirst: true,
  isCut: false,
}

const filtered = { key: '', outcome: 'refused', from: '2026-11-15T03:10', to: '2026-11-15T03:15', q: '' }

export const sampleRequestPages: Record<string, () => string> = {
  requests: () => requestsPage(requestsModel),
  'requests-open': () => requestsPage({ ...requestsModel, open: requests[2] }),
  'key-requests': () =>
    requestsPage({ ...requestsModel, frame, key: keyDetails['key-busy'], fields: filtered, isFirst: false }),
}
