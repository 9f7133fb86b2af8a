import { object, string } from '../../src/lib/schema.ts'
import type { Resource } from '../../src/resources/define.ts'
import { resources as published } from '../../src/resources/index.ts'

export const unicorns: Resource = {
  name: 'unicorns',
  path: '/unicorns',
  permission: 'unicorns:read',
  summary: 'Read the unicorns',
  description: 'Returns the unicorns.',
  body: object({ unicorns: string() }),
  schemas: {},
  example: { unicorns: 'Müller’s' },
  tool: {
    name: 'get_unicorns',
    title: 'Get unicorns',
    description: 'Get the unicorns.',
    filters: {},
  },
  read: async () => ({ body: Buffer.from('{"unicorns":"Müller’s"}'), until: Number.POSITIVE_INFINITY }),
}

/** The published resources and one more. */
export const resources: readonly Resource[] = [...published, unicorns]
