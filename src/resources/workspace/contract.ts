import { nullableString, object, reference, string } from '../../lib/schema.ts'
import type { ResourceBody } from '../../lists/query.ts'
import { servedWorkspace, type WorkspaceRecord } from '../../workspaces/records.ts'
import { defineResource } from '../define.ts'

const Workspace = object(
  {
    id: string({ description: 'Stable workspace identifier.' }),
    name: string({ description: 'Display name.' }),
    slug: string({ description: 'Human-readable workspace slug.' }),
    timezone: nullableString({ description: 'IANA timezone name used for business dates.' }),
    currencyCode: nullableString({ description: 'ISO 4217 reporting currency code.' }),
    countryCode: nullableString({ description: 'ISO 3166-1 alpha-2 country code.' }),
  },
  { description: 'The identity of a workspace and its defaults.' },
)

function toBody(row: WorkspaceRecord | undefined): ResourceBody | undefined {
  if (row === undefined) return undefined
  const fields = Object.keys(Workspace.properties).map((field) => [field, row[field as keyof WorkspaceRecord]])
  const body = { workspace: Object.fromEntries(fields) }
  return { body: Buffer.from(JSON.stringify(body)), until: Number.POSITIVE_INFINITY }
}

export const workspace = defineResource({
  name: 'workspace',
  path: '/workspace',
  permission: 'workspace:read',
  summary: 'Read the workspace',
  description:
    'Returns the identity of the workspace that the key belongs to, and its defaults: timezone, currency and country. ' +
    'Use them to interpret dates and money from this and other resources.',
  body: object({ workspace: reference('Workspace') }),
  schemas: { Workspace },
  example: {
    workspace: {
      id: 'ws_4f9d2c81a0b3',
      name: 'Northwind Buying',
      slug: 'northwind',
      timezone: 'Europe/London',
      currencyCode: 'GBP',
      countryCode: 'GB',
    },
  },
  tool: {
    name: 'get_workspace',
    title: 'Get workspace',
    description:
      "Get the workspace's name, timezone, currency and country. Use it for the currency of amounts, or for questions about " +
      'the workspace itself; other tools do not need it first.',
    filters: {},
  },
  read: async (store, scope) => toBody(await servedWorkspace(store, scope)),
})
