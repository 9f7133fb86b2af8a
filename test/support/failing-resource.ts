import { integer, object, optional } from '../../src/lib/schema.ts'
import type { Resource } from '../../src/resources/define.ts'

/** A resource at /failing, and a tool read_failing, whose every read fails with what it is given. */
export const failingResource = (thrown: unknown): Resource => ({
  name: 'failing',
  path: '/failing',
  permission: 'workspace:read',
  summary: 'Fail',
  description: 'Fails.',
  body: object({}),
  schemas: {},
  example: {},
  tool: {
    name: 'read_failing',
    title: 'Fail',
    description: 'Fails.',
    filters: { limit: optional(integer()) },
  },
  read: async () => {
    throw thrown
  },
})
