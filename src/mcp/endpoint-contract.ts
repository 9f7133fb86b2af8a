import { reference } from '../lib/schema.ts'
import type { OperationContract } from '../operation.ts'
import type { ProblemCode } from '../problems/catalogue.ts'
import type { ProtocolVersion } from './protocol-version.ts'

/** Problems that occur before a version is chosen. */
const belowProtocol: readonly ProblemCode[] = [
  'unsupported_media_type',
  'payload_too_large',
  'bad_request',
  'unauthorized',
  'origin_not_allowed',
  'method_not_allowed',
  'rate_limited',
  'internal_error',
  'overloaded',
]

export function endpointContract(path: string, versions: readonly ProtocolVersion[]): OperationContract {
  const contracts = versions.map(({ contract }) => contract)
  const embeddedProblems = contracts.find((contract) => contract.embeddedProblems !== undefined)?.embeddedProblems
  return {
    method: 'post',
    operationId: `call${path.replace(/[^a-z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase())}`,
    tag: 'MCP',
    summary: 'Call the MCP server',
    description: contracts.map(({ description }) => description).join('\n\n'),
    parameters: parametersOf(contracts.flatMap(({ parameters }) => parameters)),
    requestBody: bodyOf(versions, 'request'),
    responses: {
      200: {
        description: 'A JSON-RPC result, or a JSON-RPC error.',
        ...bodyOf(versions, 'response'),
        headers: ['X-Service-Api-Version'],
      },
      202: { description: 'A notification was accepted; the body is empty.', headers: ['X-Service-Api-Version'] },
    },
    problems: [...new Set([...contracts.flatMap(({ problems }) => problems), ...belowProtocol])],
    ...(embeddedProblems !== undefined && { embeddedProblems }),
    schemas: Object.assign({}, ...contracts.map(({ schemas }) => schemas)),
  }
}

/** Where names clash, the version listed first wins. */
const parametersOf = (parameters: OperationContract['parameters']): OperationContract['parameters'] =>
  parameters.filter(({ name }, at) => at === parameters.findIndex((other) => other.name === name))

/** A single version's example stands alone, while several have names. */
function bodyOf(versions: readonly ProtocolVersion[], part: 'request' | 'response') {
  const schemas = versions.flatMap(({ contract }) => contract[part].schemas).map(reference)
  const schema = schemas.length === 1 ? (schemas[0] as object) : { anyOf: schemas }
  if (versions.length === 1) return { schema, example: versions[0]?.contract[part].example }
  return {
    schema,
    examples: Object.fromEntries(versions.map(({ version, contract }) => [version, { value: contract[part].example }])),
  }
}
