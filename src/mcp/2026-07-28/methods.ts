import type { Admission } from '../../database/store.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { BodyPart } from '../../operation.ts'
import { tailText } from '../json-rpc.ts'
import { ProtocolError } from './errors.ts'
import { INSTRUCTIONS } from './instructions.ts'
import { CACHING, SERVER_INFO } from './protocol.ts'
import type { Tools } from './tools.ts'

/** Returns the parts of the tail of a response: see `resultTail`. */
type Method = (params: Record<string, unknown>, admission: Admission) => MaybePromise<readonly BodyPart[]>

export function createMethods(tools: Tools, supportedVersions: readonly string[]): ReadonlyMap<string, Method> {
  const discovered = [
    tailText({
      resultType: 'complete',
      supportedVersions,
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      ...CACHING,
      _meta: SERVER_INFO,
    }),
  ]
  return new Map<string, Method>([
    ['server/discover', () => discovered],
    [
      'tools/list',
      (params, admission) => {
        if (params.cursor !== undefined)
          throw new ProtocolError('invalid_params', 'There is only one page of tools; leave params.cursor out.')
        return [tools.list(admission.permissions)]
      },
    ],
    [
      'tools/call',
      (params, admission) => {
        if (typeof params.name !== 'string')
          throw new ProtocolError('invalid_params', 'params.name must be the name of a tool, as a string.')
        return tools.call(params.name, params.arguments, admission)
      },
    ],
  ])
}
