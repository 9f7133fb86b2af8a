import { object, string } from '../../src/lib/schema.ts'
import type { Resource } from '../../src/resources/define.ts'
import { resources as published } from '../../src/resources/index.ts'

const notes: Resource = {
  name: 'notes',
  path: '/notes',
  permission: 'notes:read',
  summary: 'Read the notes',
  description: 'Returns the notes.',
  body: object({ notes: string() }),
  schemas: {},
  example: { notes: 'none' },
  tool: {
    name: 'get_notes',
    title: 'Get notes',
    description: 'Get the notes.',
    arguments: object({}, { additionalProperties: false }),
  },
  read: async () => ({ body: Buffer.from('{"notes":"none"}'), until: Number.POSITIVE_INFINITY }),
}

/** The published resources and one more. */
export const resources: readonly Resource[] = [...published, notes]
