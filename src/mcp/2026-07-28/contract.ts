import { type Field, type Fields, reference } from '../../lib/schema.ts'
import type { Resource } from '../../resources/define.ts'
import type { VersionContract } from '../protocol-version.ts'
import published from './contract.json' with { type: 'json' }
import { errors } from './errors.ts'
import { SERVER_INFO } from './protocol.ts'
import { toolSchemas } from './tools.ts'

const { response } = published
const example = { ...response.example, result: { ...response.example.result, _meta: SERVER_INFO } }

export function contractOf(resources: readonly Resource[]): VersionContract {
  const tools = resources.map(toolSchemas)
  const args: Fields = Object.assign({}, ...tools.map((tool) => tool.arguments))
  const results: Fields = Object.assign({}, ...tools.map(({ result }) => result))
  return {
    ...(published as VersionContract),
    response: { ...response, example },
    schemas: {
      ...published.schemas,
      ...args,
      ...results,
      McpToolArguments: oneOf(
        args,
        "On `tools/call`, the tool's arguments: those of `list_tasks` are `ListTasksArguments`.",
      ),
      McpToolResult: oneOf(results, "On `tools/call`, the tool's result: that of `list_tasks` is `ListTasksResult`."),
    } as Record<string, Field>,
    embeddedProblems: {
      statuses: Object.fromEntries(Object.entries(errors).map(([code, { status }]) => [code, status])),
      schema: reference('McpError'),
      embed(problem) {
        const { rpcCode } = errors[problem.code as keyof typeof errors]
        return { jsonrpc: '2.0', id: 1, error: { code: rpcCode, message: problem.detail, data: problem } }
      },
    },
  }
}

/** Others are allowed too: a gateway must let faulty arguments through, whose refusal names the fix. */
const oneOf = (schemas: Fields, description: string) => ({
  anyOf: [...Object.keys(schemas).map(reference), { type: 'object', properties: {}, additionalProperties: true }],
  description,
})
