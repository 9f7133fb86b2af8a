import type { Resource } from '../../src/resources/resource.ts'
import { integer, object, optional } from '../../src/schema.ts'

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
    arguments: object({ limit: optional(integer()) }, { additionalProperties: false }),
  },
  read: async () => {
    throw thrown
  },
})
