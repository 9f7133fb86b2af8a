import type { Admission } from '../../database/store.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { BodyPart } from '../../operation.ts'
import type { Resource } from '../../resources/define.ts'
import { READ_ONLY } from '../tool-lists.ts'
import type { Argument } from './argument.ts'
import { argumentsOf, argumentsSchema } from './arguments.ts'
import { outputSchema } from './output-schema.ts'
import { ToolError } from './tool-error.ts'

/** A tool as `tools/list` returns it. */
export function toolDefinition(resource: Resource) {
  const args = argumentsOf(resource)
  return {
    name: resource.tool.name,
    title: resource.tool.title,
    description: descriptionOf(resource, args),
    inputSchema: argumentsSchema(args),
    outputSchema: outputSchema(resource),
    annotations: READ_ONLY,
  }
}

/** What every tool of a kind does in this version. */
function descriptionOf({ list, tool }: Resource, args: readonly Argument[]): string {
  const time = list === undefined ? " Also gives the time now and today's date." : ''
  const dates = args.some(({ isMoment = false }) => isMoment)
    ? " A date such as 2026-11-20 is its beginning in the workspace's timezone."
    : ''
  return tool.description + time + dates
}

/** Answers a call with the parts of a result's tail; throws a ToolError or an InvalidArgumentsError. */
export type CallTool = (given: unknown, admission: Admission) => MaybePromise<readonly BodyPart[]>

export const unavailable = () => new ToolError('The workspace is not available: it was archived or deleted.')
