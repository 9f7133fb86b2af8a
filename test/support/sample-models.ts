import type { KeyOverview } from '../../src/keys/overview.ts'
import { resources } from '../../src/resources/index.ts'
import type { AuditModel } from '../../src/web/audit/audit.ts'
import { grouped } from '../../src/web/audit/table.ts'
import type { CreatedKeyModel } from '../../src/web/keys/create/created.ts'
import type { CreateKeyModel } from '../../src/web/keys/create/new-key.ts'
import { permissionWords } from '../../src/web/keys/permissions.ts'
import type { Notice, PageFrame } from '../../src/web/layout/page.ts'
import type { WorkspaceModel } from '../../src/web/workspace/details.ts'
import type { ShownSource } from '../../src/web/workspace/sources.ts'

/** Models for pictures and for checks of single pages: every state that a key can be in, at a fixed time. */
export const NOW = '2026-11-15T12:00:00.000Z'
const HOUR = 3_600_000
const DAY = 24 * HOUR
export const ago = (ms: number): string => new Date(Date.parse(NOW) - ms).toISOString()
export const ahead = (ms: number): string => ago(-ms)

/** Shaped like a key, for a workspace that does not exist. */
export const TOKEN = 'vtr_SAMPLEpnaxrD0M9Wq3kZVtB7uYc2LfHd8RgSj1eXoT5iNAmvKw0'

export const frame: PageFrame = {
  workspace: { name: 'Northwind Buying', slug: 'northwind' },
  workspaces: [
    { name: 'Northwind Buying', slug: 'northwind', role: 'owner' },
    { name: 'Northwind Wholesale', slug: 'northwind-wholesale', role: 'member' },
  ],
  email: 'priya@northwind.example',
  role: 'owner',
  csrf: 'csrf-of-the-session',
  section: 'keys',
  nowMs: Date.parse(NOW),
  timezone: 'Europe/London',
}

export const frameIn = (section: PageFrame['section']): PageFrame => ({ ...frame, section })
export const noticed = (tone: Notice['tone'], text: string, { section }: PageFrame = frame): PageFrame => ({
  ...frameIn(section),
  notice: { tone, text },
})

export const key = (id: string, label: string, more: Partial<KeyOverview> = {}): KeyOverview => ({
  id: `key_${id}`,
  label,
  prefix: `vtr_${id.padEnd(6, 'x').slice(0, 6)}`,
  permissions: ['workspace:read', 'tasks:read'],
  quota: null,
  createdBy: 'priya@northwind.example',
  createdAt: ago(40 * DAY),
  expiresAt: ahead(50 * DAY),
  retiresAt: null,
  pausedAt: null,
  replaces: null,
  client: null,
  networks: null,
  only: null,
  lastUsedAt: ago(3 * HOUR),
  dailyUse: [12, 14, 9, 0, 0, 15, 18, 13, 16, 11, 0, 0, 17, 8],
  dailyRefused: Array(14).fill(0),
  state: { kind: 'live' },
  lastRefusal: null,
  leak: null,
  attention: [],
  ...more,
})

export const liveKey = key('8fK2aQ', 'Nightly report')

export const connection = key('Cn5tQ2', 'Claude', {
  client: { id: 'https://claude.ai/oauth/mcp-oauth-client-metadata', host: 'claude.ai' },
  createdAt: ago(5 * DAY),
  expiresAt: ahead(85 * DAY),
  lastUsedAt: ago(HOUR),
})

export const keys: KeyOverview[] = [
  key('Qm3xT0', 'Claude Code, Priya’s laptop', {
    dailyUse: [0, 0, 0, 0, 0, 3, 22, 41, 18, 0, 0, 64, 38, 27],
    createdAt: ago(9 * DAY),
    expiresAt: ahead(81 * DAY),
    lastUsedAt: ago(20_000),
  }),
  liveKey,
  key('b71ZsE', 'Warehouse dashboard', {
    permissions: ['tasks:read'],
    quota: { limit: 120, windowSeconds: 60 },
    createdBy: 'tom@northwind.example',
    createdAt: ago(83 * DAY),
    expiresAt: ahead(7 * DAY + HOUR),
    dailyUse: [288, 288, 287, 288, 288, 288, 280, 288, 288, 288, 288, 288, 288, 144],
    dailyRefused: [0, 0, 0, 0, 0, 1, 40, 0, 0, 0, 0, 0, 60, 8],
    lastUsedAt: ago(5 * 60_000),
    state: { kind: 'expiring' },
    attention: ['expiring'],
  }),
  key('0RtYp9', 'Supplier sync', {
    dailyUse: [30, 31, 29, 30, 33, 30, 28, 30, 30, 31, 30, 12, 9, 4],
    retiresAt: ahead(20 * HOUR),
    lastUsedAt: ago(HOUR / 2),
    state: {
      kind: 'rotating',
      until: ahead(20 * HOUR),
      stillUsed: true,
      successor: { id: 'key_Qm3xT0', label: 'Claude Code, Priya’s laptop', works: true },
    },
    attention: ['rotation_unfinished'],
  }),
  key('kV4cN2', 'Planning sheet', {
    expiresAt: null,
    dailyUse: [0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 5, 1, 0, 0],
    lastUsedAt: ago(3 * DAY),
    createdBy: 'tom@northwind.example',
    leak: { seen: 'url', at: ago(3 * DAY) },
    attention: ['leaked'],
  }),
  key('Yd6uH8', 'Old importer', {
    expiresAt: null,
    dailyUse: [40, 38, 41, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    lastUsedAt: ago(10 * DAY),
    state: { kind: 'revoked', at: ago(10 * DAY) },
  }),
  key('Zz9aB1', 'Trial', {
    expiresAt: ago(30 * DAY),
    createdAt: ago(60 * DAY),
    dailyUse: Array(14).fill(0),
    lastUsedAt: null,
    state: { kind: 'expired' },
  }),
  connection,
]

export const createKeyModel: CreateKeyModel = {
  frame,
  permissions: permissionWords(resources),
  values: {
    label: '',
    permissions: ['workspace:read', 'tasks:read'],
    expiry: '90',
    expiryDate: '',
    rateLimit: '',
    rateWindow: '60',
    networks: '',
    only: '',
  },
  errors: {},
  defaultQuota: { limit: 600, windowSeconds: 60 },
  rowCounts: { 'tasks:read': '1,842 rows' },
}

export const createdKeyModel: CreatedKeyModel = {
  frame,
  token: TOKEN,
  key: {
    id: 'key_SAMPLE',
    label: 'Claude Code, Priya’s laptop',
    permissions: ['workspace:read', 'tasks:read'],
    expiresAt: ahead(90 * DAY),
    only: null,
    networks: null,
  },
  serviceUrl: 'https://vitrine.northwind.example',
  slug: 'northwind',
  examplePath: '/tasks',
  replaced: null,
  unfilled: [],
}

const entry = (hoursAgo: number, action: string, which: KeyOverview | undefined, actor: string, detail = {}) => ({
  at: ago(hoursAgo * HOUR),
  actor,
  action,
  subject: which?.id ?? 'key_gone',
  label: which?.label ?? null,
  detail: { label: which?.label ?? null, ...detail },
})

const session = (hoursAgo: number, actor: string, action = 'session.started') => ({
  ...entry(hoursAgo, action, undefined, actor, { by: 'link' }),
  subject: actor,
})

const noFilter = { key: '', kind: '', who: '', q: '', from: '', to: '' }

export const auditModel: AuditModel = {
  frame: frameIn('audit'),
  groups: grouped(
    [
      entry(1, 'key.rotated', keys[3], 'priya@northwind.example', {
        successor: 'key_Nw0001',
        worksUntil: ahead(20 * HOUR),
      }),
      session(2, 'tom@northwind.example'),
      session(3, 'priya@northwind.example'),
      session(9, 'priya@northwind.example', 'session.ended'),
      session(11, 'a-rather-long-name.of-somebody@procurement.northwind.example'),
      entry(26, 'key.created', keys[0], 'priya@northwind.example'),
      entry(30, 'workspace.updated', key('x', 'Northwind Buying'), 'priya@northwind.example', {
        slug: 'northwind',
        before: { name: 'Northwind', timezone: null },
        after: { name: 'Northwind Buying', timezone: 'Europe/London' },
      }),
      entry(240, 'key.revoked', keys[5], 'tom@northwind.example'),
      entry(900, 'key.created', undefined, 'cli'),
    ],
    true,
  ),
  fields: noFilter,
  errors: {},
  isFirst: true,
  isCut: false,
  key: null,
  older: ago(900 * HOUR),
}

const source = (name: string, more: Partial<ShownSource> = {}): ShownSource => ({
  list: 'tasks',
  name,
  createdAt: ago(40 * DAY),
  syncedAt: ago(3 * 60_000),
  attemptedAt: ago(3 * 60_000),
  failingSince: null,
  failure: null,
  failures: 0,
  everySeconds: 300,
  location: `https://tracker.northwind.example/export/${name}.json`,
  rowCount: 1234,
  state: 'synced',
  ...more,
})

const record = {
  id: 'ws_4f9d2c81a0b3',
  slug: 'northwind',
  name: 'Northwind Buying',
  timezone: 'Europe/London',
  currencyCode: 'GBP',
  countryCode: 'GB',
  createdAt: ago(400 * DAY),
  archivedAt: null,
}

export const workspaceModel: WorkspaceModel = {
  frame: frameIn('workspace'),
  record,
  owners: ['priya@northwind.example', 'noor@northwind.example'],
  mayEdit: true,
  values: { name: 'Northwind Buying', timezone: 'Europe/London', currency: 'GBP', country: 'GB' },
  errors: {},
  changedMeanwhile: [],
  sources: [
    source('buying-sheet', {
      location: 'exports/buying.csv',
      everySeconds: null,
      syncedAt: ago(20 * HOUR),
      rowCount: 41,
    }),
    source('jira', {
      state: 'failing',
      syncedAt: ago(2 * HOUR),
      failingSince: ago(2 * HOUR - 300_000),
      failures: 13,
      failure: 'https://tracker.northwind.example/export/jira.json: returned 503 Service Unavailable instead of 200',
    }),
    source('linear'),
    source('suppliers', {
      state: 'overdue',
      location: `https://${'a-very-long-host-name.'.repeat(4)}example/${'path/'.repeat(30)}`,
      attemptedAt: ago(30 * HOUR),
      syncedAt: ago(30 * HOUR),
      everySeconds: 3600,
    }),
    source('linaer', { state: 'abandoned', syncedAt: null }),
  ],
}
