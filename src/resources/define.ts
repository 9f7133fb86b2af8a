import type { PublicStore } from '../database/store.ts'
import type { Field, Fields, ObjectSchema, Values } from '../lib/schema.ts'

/** Whose data is asked for, and when. */
export interface Viewpoint {
  workspaceId: string
  now: number
}

export interface Reading {
  /** The JSON of the answer, ready to send. */
  body: Buffer
  /** When it changes by itself, though nobody changes anything; Infinity if it does not. */
  until: number
}

/**
 * All there is to know of something that can be read. The REST route, the MCP tool, the OpenAPI operation and the
 * permission are made from this; to add a resource is to write one of these and to list it in index.ts.
 */
export interface Resource<Arguments extends Fields = Fields> {
  /** Unique; also names the OpenAPI operation. */
  name: string
  path: `/${string}`
  permission: `${string}:read`
  summary: string
  description: string
  /** The answer's body, and the named schemas that it is made of. */
  body: Field
  schemas: Record<string, Field>
  example: object
  tool: {
    name: string
    title: string
    description: string
    arguments: ObjectSchema<Arguments>
  }
  /** Answered for an archived or deleted workspace. Left out, REST answers 404 and the tool with an error. */
  whenUnavailable?: object
  /** Undefined if the workspace went away since the request was admitted. */
  read(store: PublicStore, viewpoint: Viewpoint, args: Values<Arguments>): Promise<Reading | undefined>
}

/** Keeps the types of the arguments and of `read` together, then forgets them. */
export const defineResource = <Arguments extends Fields>(resource: Resource<Arguments>): Resource =>
  resource as unknown as Resource
