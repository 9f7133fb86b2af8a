import { nullableString, object, reference, string } from '../../lib/schema.ts'
import { defineResource } from '../define.ts'
import { readWorkspace } from './queries.ts'

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
      'Get the workspace and its defaults: timezone, currency and country. Use it first, to read dates and money of ' +
      'other tools.',
    filters: {},
  },
  queries: readWorkspace(Object.keys(Workspace.properties)),
})
