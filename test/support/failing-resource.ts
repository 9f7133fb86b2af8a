import Type from 'typebox'
import type { Resource } from '../../src/resources/resource.ts'

/** A resource at /failing, and a tool read_failing, whose every read fails with what it is given. */
export const failingResource = (thrown: unknown): Resource => ({
  name: 'failing',
  path: '/failing',
  permission: 'workspace:read',
  summary: 'Fail',
  description: 'Fails.',
  body: Type.Object({}),
  schemas: {},
  example: {},
  tool: {
    name: 'read_failing',
    title: 'Fail',
    description: 'Fails.',
    arguments: Type.Object({ limit: Type.Optional(Type.Integer()) }, { additionalProperties: false }),
  },
  read: async () => {
    throw thrown
  },
})
