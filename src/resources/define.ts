import { checkTable } from '../database/check-table.ts'
import type { Queries, Reading, Viewpoint } from '../database/queries.ts'
import type { PublicStore } from '../database/store.ts'
import { answeredColumns, type Columns, type Table } from '../database/table.ts'
import {
  type Field,
  type Fields,
  integer,
  nullableInteger,
  nullableString,
  type ObjectSchema,
  string,
  type Values,
} from '../lib/schema.ts'

/**
 * All there is to know of something that can be read. The REST route, the MCP tool, the OpenAPI operation, the permission, and
 * what follows from a table are made from this; to add a resource is to write one of these and to list it in index.ts.
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
    /** Where there is a `limit`, leaving it out means its maximum. */
    arguments: ObjectSchema<Arguments>
    /** Arguments that are compared without regard to the case of ASCII letters. */
    ignoresCase?: readonly (keyof Arguments & string)[]
  }
  /** Answered for an archived or deleted workspace. Left out, REST answers 404 and the tool with an error. */
  whenUnavailable?: object
  /** Of its own: it is created by `migrate`, filled by `vitrine <singular> import`, and taken along by `copy`. */
  table?: Table
  /** How each engine reads it. */
  queries?: Queries<Values<Arguments>>
  /** Undefined if the workspace went away since the request was admitted. */
  read(store: PublicStore, viewpoint: Viewpoint, args: Values<Arguments>): Promise<Reading | undefined>
}

type Definition<Arguments extends Fields> = Omit<Resource<Arguments>, 'read' | 'queries'> &
  ({ queries: Queries<Values<Arguments>> } | Pick<Resource<Arguments>, 'read'>)

/** Keeps the types of the arguments and of the queries together, then forgets them. */
export function defineResource<Arguments extends Fields>(definition: Definition<Arguments>): Resource {
  if (definition.table !== undefined) checkTable(definition.table)
  if ('queries' in definition) checkArguments(definition)
  const resource =
    'read' in definition
      ? definition
      : {
          ...definition,
          read: (store: PublicStore, viewpoint: Viewpoint, args: Values<Arguments>) =>
            store.reader(definition.queries)(viewpoint, args),
        }
  return resource as unknown as Resource
}

function checkArguments<Arguments extends Fields>({
  name,
  tool,
  queries,
}: Pick<Definition<Arguments>, 'name' | 'tool'> & { queries: Queries<Values<Arguments>> }): void {
  if (queries.arguments !== undefined && queries.arguments !== tool.arguments)
    throw new Error(`${name}: the arguments of its tool must be those of its list`)
}

/** The fields of a table as they are answered. Limits are not published: rows from before a limit may be over it. */
export const publishedFields = (columns: Columns): Fields =>
  Object.fromEntries(answeredColumns({ columns }).map((column) => [column.field, publishedField(column)]))

const formats = { instant: { format: 'date-time' }, email: { format: 'email' } } as const

function publishedField({ kind, isNullable, choices, description }: ReturnType<typeof answeredColumns>[number]): Field {
  const format = kind === 'instant' || kind === 'email' ? formats[kind] : {}
  if (kind === 'integer') return isNullable ? nullableInteger({ description }) : integer({ description })
  const options = { ...format, ...(choices !== undefined && { enum: choices }), description }
  return isNullable ? nullableString(options) : string(options)
}

export const permissionsOf = (all: readonly Resource[]): string[] => all.map(({ permission }) => permission)
