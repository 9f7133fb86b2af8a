import { reference } from '../lib/schema.ts'
import type { OperationContract } from '../operation.ts'
import type { ProtocolVersion } from './protocol-version.ts'

/** What OpenAPI says of a path that speaks these versions: all of what each of them says. */
export function endpointContract(path: string, versions: readonly ProtocolVersion[]): OperationContract {
  const contracts = versions.map(({ contract }) => contract)
  return {
    method: 'post',
    operationId: `call${path.replace(/[^a-z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase())}`,
    tag: 'MCP',
    summary: 'Call the MCP server',
    description: contracts.map(({ description }) => description).join('\n\n'),
    parameters: parametersOf(contracts.flatMap(({ parameters }) => parameters)),
    requestBody: contentOf(versions, 'request'),
    responses: {
      200: {
        description: 'A JSON-RPC result, or a JSON-RPC error.',
        ...contentOf(versions, 'response'),
        headers: ['X-Service-Api-Version'],
      },
      202: { description: 'A notification was accepted; the body is empty.', headers: ['X-Service-Api-Version'] },
    },
    problems: [...new Set(contracts.flatMap(({ problems }) => problems))],
    schemas: Object.assign({}, ...contracts.map(({ schemas }) => schemas)),
  }
}

/** Of two of one name, that of the version named first. */
const parametersOf = (parameters: OperationContract['parameters']): OperationContract['parameters'] =>
  parameters.filter(({ name }, at) => at === parameters.findIndex((other) => other.name === name))

function contentOf(versions: readonly ProtocolVersion[], part: 'request' | 'response') {
  const [{ contract: only }, ...others] = versions as [ProtocolVersion, ...ProtocolVersion[]]
  if (others.length === 0) return { schema: reference(only[part].schema), example: only[part].example }
  return {
    schema: { anyOf: versions.map(({ contract }) => reference(contract[part].schema)) },
    examples: Object.fromEntries(versions.map(({ version, contract }) => [version, { value: contract[part].example }])),
  }
}
