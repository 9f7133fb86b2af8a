import { reservedCommands } from '../api/reserved-commands.ts'
import { guessedOauthNames, reservedPaths } from '../api/reserved-paths.ts'
import { UserError } from '../lib/user-error.ts'
import type { List } from '../lists/definition.ts'
import type { Resource } from './define.ts'

export type Identity = Pick<Resource, 'name' | 'path' | 'permission' | 'schemas'> & {
  tool: Pick<Resource['tool'], 'name'>
  list?: Pick<List, 'singular'>
}

const firstSegment = (path: string): string => path.split('/')[1] ?? ''

/** A resource under one of these would hide one of the service's paths, or never be reached. */
const reservedSegments = new Set([...reservedPaths.map(firstSegment), ...guessedOauthNames])

/** Other members of a tool's result that could be a resource's name. */
const RESULT_MEMBERS = 'etag unchanged timezone since total suggestions overdue counts more gone'.split(' ')
/** Also those of the tools' arguments and results. */
const RESERVED_SCHEMAS =
  /^(?:JsonRpc(?:Request|Response)|Mcp(?:Request|Result|Error|ToolArguments|ToolResult)|Problem|(?:Get|List).+(?:Arguments|Result))$/
const RESERVED_COMMANDS: readonly string[] = [...reservedCommands, 'help']

/** Something that identifies a resource, such as its path. It may have several. */
interface Identifier {
  /** The member of a definition that determines it. */
  member: 'name' | 'singular'
  of(resource: Identity): readonly string[]
  isReserved?(value: string): boolean
}

/** No two resources may share one, or use a reserved one. The permission and the tool follow from the name. */
const identities: Record<string, Identifier> = {
  name: { member: 'name', of: ({ name }) => [name], isReserved: (name) => RESULT_MEMBERS.includes(name) },
  path: { member: 'name', of: ({ path }) => [path], isReserved: (path) => reservedSegments.has(firstSegment(path)) },
  command: {
    member: 'singular',
    of: ({ list }) => (list === undefined ? [] : [list.singular]),
    isReserved: (command) => RESERVED_COMMANDS.includes(command),
  },
  'schema name': {
    member: 'singular',
    of: ({ schemas }) => Object.keys(schemas),
    isReserved: (name) => RESERVED_SCHEMAS.test(name),
  },
}

export interface Clash {
  index: number
  member: Identifier['member']
  what: string
  value: string
  /** The resource that already has it; undefined if it is reserved. */
  earlier?: string
}

export function clashesIn(resources: readonly Identity[]): Clash[] {
  return Object.entries(identities).flatMap(([what, { member, of, isReserved = () => false }]) => {
    const owners = new Map<string, string>()
    return resources.flatMap((resource, index) =>
      of(resource).flatMap((value) => {
        const earlier = owners.get(value)
        if (earlier !== undefined) return [{ index, member, what, value, earlier }]
        owners.set(value, resource.name)
        return isReserved(value) ? [{ index, member, what, value }] : []
      }),
    )
  })
}

/** Every instance has these from the start. A later list of the program gives way where an operator's has one of its names. */
const ORIGINAL = ['workspace', 'tasks']
export const givesWay = ({ name }: Pick<Identity, 'name'>): boolean => !ORIGINAL.includes(name)

export function checkResources(resources: readonly Resource[]): void {
  const [clash] = clashesIn(resources)
  if (clash === undefined) return
  const { index, what, value, earlier } = clash
  const name = resources[index]?.name
  throw new UserError(
    earlier === undefined
      ? `resource ${name}: the ${what} ${value} belongs to the service; choose another`
      : `resources ${earlier} and ${name}: both have the ${what} ${value}; change one`,
  )
}
