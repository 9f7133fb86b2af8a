import { reference } from '../../lib/schema.ts'
import type { VersionContract } from '../protocol-version.ts'
import published from './contract.json' with { type: 'json' }
import { errors } from './errors.ts'
import { SERVER_INFO } from './protocol.ts'

const { response } = published
const example = { ...response.example, result: { ...response.example.result, _meta: SERVER_INFO } }

export const contract: VersionContract = {
  ...(published as VersionContract),
  response: { ...response, example },
  embeddedProblems: {
    statuses: Object.fromEntries(Object.entries(errors).map(([code, { status }]) => [code, status])),
    schema: reference('McpError'),
    embed(problem) {
      const { rpcCode } = errors[problem.code as keyof typeof errors]
      return { jsonrpc: '2.0', id: 1, error: { code: rpcCode, message: problem.detail, data: problem } }
    },
  },
}
