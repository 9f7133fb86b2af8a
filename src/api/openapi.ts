import { formatQuota } from '../keys/quota.ts'
import { pairsOf } from '../lib/http-headers.ts'
import type { Quota } from '../lib/rate-windows.ts'
import { catalogue, type ProblemCode, problemCodes } from '../problems/catalogue.ts'
import { ProblemError, toProblem } from '../problems/problem.ts'
import { version } from '../version.ts'
import base from './openapi-base.json' with { type: 'json' }
import type { EmbeddedProblems, Operation, OperationContract } from './operation.ts'
import { type Lifecycle, lifecycleHeaders } from './path-lifecycle.ts'

interface DocumentOptions {
  publicUrl: string
  quota: Quota
  lifecycle: Lifecycle
}

const POLICY_HEADERS = ['RateLimit-Limit', 'RateLimit-Policy']
const WINDOW_HEADERS = ['RateLimit-Remaining', 'RateLimit-Reset']
/** Sent before the key is checked, or without one. */
const WITHOUT_KEY: readonly ProblemCode[] = ['unauthorized', 'method_not_allowed']
/** Sent before the key is checked, or after. */
const WITH_OR_WITHOUT_KEY: readonly ProblemCode[] = ['bad_request', 'internal_error', 'overloaded']

export function openApiDocument(operations: readonly Operation[], options: DocumentOptions): object {
  const paths = Object.fromEntries(operations.map((operation) => [operation.path, pathItem(operation, options)]))
  const { info, components } = base
  const contact = { ...info.contact, ...(options.publicUrl !== '' && { url: `${options.publicUrl}/docs` }) }
  return {
    ...base,
    info: { ...info, version, contact },
    servers: [{ url: options.publicUrl || '/' }],
    paths,
    components: {
      ...components,
      headers: headersUsed(paths, headerComponents(options.quota)),
      schemas: {
        ...absoluteRefs(Object.assign({}, ...operations.map(({ contract }) => contract.schemas))),
        Problem: problemSchema,
      },
    },
  }
}

function pathItem(operation: Operation, options: DocumentOptions): object {
  const { path, contract, problemsHaveInstance = false } = operation
  const lifecycle = pairsOf(lifecycleHeaders(options.lifecycle.get(path))).map(([name]) => name)
  const always = [...POLICY_HEADERS, 'X-Request-Id', ...lifecycle]
  const deprecated = lifecycle.length === 0 ? {} : { deprecated: true }
  const operationObject = {
    operationId: contract.operationId,
    tags: [contract.tag],
    summary: contract.summary,
    description: contract.description,
    ...deprecated,
    parameters: contract.parameters,
    ...(contract.requestBody !== undefined && {
      requestBody: { required: true, content: jsonContent(contract.requestBody) },
    }),
    responses: {
      ...successes(contract, [...always, ...WINDOW_HEADERS], options.publicUrl),
      ...problems(contract, always, options.publicUrl, problemsHaveInstance),
      // A request whose body is slow or broken may have been admitted.
      default: problemBeforeOperation(contract.requestBody && windowHeadersOf(['bad_request'])),
    },
  }
  return {
    [contract.method]: operationObject,
    ...(contract.method === 'get' && {
      head: headOf(operationObject),
      options: { ...optionsOf(contract, always), ...deprecated },
    }),
  }
}

const problemBeforeOperation = (more: string[] = []) => ({
  description: 'A problem found before the request reached the operation, such as a malformed or slow request.',
  headers: headerRefs([...POLICY_HEADERS, 'Cache-Control', 'X-Request-Id', ...more]),
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})

const headOf = (get: {
  operationId: string
  summary: string
  responses: Record<string, { content?: object }>
}): object => ({
  ...get,
  operationId: `${get.operationId}Head`,
  summary: `${get.summary}, headers only`,
  description: 'Returns the status and headers of GET, without a body.',
  responses: Object.fromEntries(
    Object.entries(get.responses).map(([status, { content: _, ...response }]) => [status, response]),
  ),
})

/** Needs no key. There are no CORS headers, because keys are for servers. */
const optionsOf = ({ operationId, tag, summary }: OperationContract, always: string[]): object => ({
  operationId: `${operationId}Options`,
  tags: [tag],
  summary: `${summary}: the allowed methods`,
  description: 'Returns the methods that the path allows. Needs no key, and sends no CORS headers.',
  security: [],
  responses: {
    204: {
      description: 'The allowed methods are in `Allow`; there is no body.',
      headers: headerRefs([...always, 'Allow']),
    },
    400: { ...problemBeforeOperation(), description: '`bad_request`: the request is not well-formed.' },
    default: problemBeforeOperation(),
  },
})

const successes = (contract: OperationContract, always: string[], publicUrl: string) =>
  Object.fromEntries(
    Object.entries(contract.responses).map(([status, { description, headers, schema, example, examples }]) => {
      const allExamples = examples && { ...examples, ...embeddedExamples(contract, Number(status), publicUrl) }
      const content =
        schema && jsonContent({ schema, ...(allExamples === undefined ? { example } : { examples: allExamples }) })
      return [status, { description, headers: headerRefs([...headers, ...always]), ...(content && { content }) }]
    }),
  )

const jsonContent = ({ schema, ...examples }: { schema: object; example?: unknown; examples?: object }) => ({
  'application/json': { schema: absoluteRefs(schema), ...examples },
})

function embeddedExamples({ embeddedProblems }: OperationContract, status: number, publicUrl: string): object {
  const codes = embeddedCodes(embeddedProblems).filter((code) => embeddedProblems?.statuses[code] === status)
  return Object.fromEntries(
    codes.map((code) => [code, { value: embeddedProblems?.embed(example(code, publicUrl, false)) }]),
  )
}

const embeddedCodes = (embedded: EmbeddedProblems | undefined) => Object.keys(embedded?.statuses ?? {}) as ProblemCode[]

const headersOfStatus = (tag: string): Partial<Record<number, string[]>> => ({
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After', ...(tag === 'MCP' ? ['X-Service-Api-Version'] : [])],
  503: ['Retry-After'],
})

function problems(contract: OperationContract, always: string[], publicUrl: string, withInstance: boolean): object {
  const { embeddedProblems, tag } = contract
  const embedded = embeddedCodes(embeddedProblems).filter((code) => embeddedProblems?.statuses[code] !== 200)
  const byStatus = Map.groupBy(new Set([...embedded, ...contract.problems]), (code) => catalogue[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const own = headersOfStatus(tag)[status] ?? []
      const plain = codes.filter((code) => contract.problems.includes(code))
      const isEmbedded = embeddedProblems !== undefined && codes.some((code) => embedded.includes(code))
      return [
        status,
        {
          description: codes.map((code) => `\`${code}\`: ${catalogue[code].title}.`).join(' '),
          headers: headerRefs([...always, 'Cache-Control', ...windowHeadersOf(codes), ...own]),
          content: {
            ...(isEmbedded &&
              jsonContent({
                schema: embeddedProblems.schema,
                examples: embeddedExamples(contract, status, publicUrl),
              })),
            ...(plain.length > 0 && problemContent(plain, publicUrl, withInstance)),
          },
        },
      ]
    }),
  )
}

const problemContent = (codes: readonly ProblemCode[], publicUrl: string, withInstance: boolean) => ({
  'application/problem+json': {
    schema: { $ref: '#/components/schemas/Problem' },
    examples: Object.fromEntries(codes.map((code) => [code, { value: example(code, publicUrl, withInstance) }])),
  },
})

function windowHeadersOf(codes: readonly ProblemCode[]): string[] {
  if (codes.some((code) => WITHOUT_KEY.includes(code))) return []
  const isAlwaysPresent = !codes.some((code) => WITH_OR_WITHOUT_KEY.includes(code))
  return isAlwaysPresent ? WINDOW_HEADERS : WINDOW_HEADERS.map((name) => OPTIONAL + name)
}

const example = (code: ProblemCode, publicUrl: string, withInstance: boolean) => ({
  ...toProblem(new ProblemError(code, catalogue[code].meaning), publicUrl),
  ...(withInstance && { instance: 'urn:uuid:0199a3c2-7d1e-4b7a-9f55-3f0b6f2f9d10' }),
})

const { Problem } = base.components.schemas
const problemSchema = {
  ...Problem,
  properties: { ...Problem.properties, code: { ...Problem.properties.code, examples: problemCodes } },
}

/** Prefix of the components for headers that are not always sent. */
const OPTIONAL = 'Optional-'

const headerRefs = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name.replace(OPTIONAL, ''), { $ref: `#/components/headers/${name}` }]))

/** Leaves out headers that no operation sends, such as those of deprecated operations. */
function headersUsed(paths: object, components: Record<string, object>): object {
  const text = JSON.stringify(paths)
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => text.includes(`#/components/headers/${name}"`)),
  )
}

function headerComponents({ limit, windowSeconds }: Quota): Record<string, object> {
  const examples: Record<string, string | number> = {
    'RateLimit-Limit': limit,
    'RateLimit-Remaining': limit - 1,
    'RateLimit-Reset': windowSeconds,
    'RateLimit-Policy': formatQuota({ limit, windowSeconds }),
    'Retry-After': windowSeconds,
  }
  return Object.fromEntries(
    Object.entries(base.components.headers).map(([name, header]) => {
      const example = examples[name.replace(OPTIONAL, '')]
      return [name, example === undefined ? header : { ...header, example }]
    }),
  )
}

const absoluteRefs = (schema: object): object =>
  JSON.parse(JSON.stringify(schema), (name, value) => (name === '$ref' ? `#/components/schemas/${value}` : value))
