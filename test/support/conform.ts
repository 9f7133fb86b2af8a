import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formatsPlugin from 'ajv-formats'
import { exchange, type HttpResponse } from './exchange.ts'

interface Documented {
  headers?: Record<string, { $ref: string } | HeaderComponent>
  content?: Record<string, { examples?: Record<string, unknown> }>
}
interface Operation {
  responses: Record<string, Documented>
}
interface HeaderComponent {
  required?: boolean
  schema: { type: string }
}
interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components: { headers: Record<string, HeaderComponent> }
}

/** Checks a response to a request against the published contract; does nothing for what is not a public operation. */
export type Conform = (method: string, path: string, response: HttpResponse) => void

/** Belong to HTTP itself, not to an operation. Everything else that is sent must be documented. */
const TRANSPORT = ['cache-control', 'connection', 'content-length', 'content-type', 'date', 'keep-alive']

const PROBLEM_TYPE = 'application/problem+json'

/** Problems that arise before an operation is reached: in the parser, in routing, or because the service is overloaded. */
const BEFORE_THE_OPERATION = ['bad_request', 'headers_too_large', 'request_timeout', 'method_not_allowed', 'overloaded']

/** Of a problem, or of a JSON-RPC error that has the members of one in its data. */
const problemCodeIn = (type: string, json: unknown): string | undefined =>
  type === PROBLEM_TYPE
    ? (json as { code: string }).code
    : (json as { error?: { data?: { code?: string } } } | undefined)?.error?.data?.code

/** A check takes long to make, and most services of a test file publish the same document. */
const made = new Map<string, Conform>()

/** Fetches the service's own OpenAPI document and makes the check of it. */
export async function loadContract(url: string): Promise<Conform> {
  const { text } = await exchange(url, '/openapi.json')
  const conform = made.get(text) ?? createConform(JSON.parse(text))
  made.set(text, conform)
  return conform
}

function createConform(document: OpenApi): Conform {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false })
  formatsPlugin.default(ajv)
  ajv.addSchema(document, 'openapi')

  return (method, path, response) => {
    const pathname = path.replace(/\?.*/s, '')
    const item = document.paths[pathname] ?? {}
    // Each of a path's operations refuses other methods: the first will do.
    const verb = method.toLowerCase() in item ? method.toLowerCase() : Object.keys(item)[0]
    const operation = verb === undefined ? undefined : item[verb]
    if (verb === undefined || operation === undefined) return
    const status = String(response.status) in operation.responses ? String(response.status) : 'default'
    const documented = operation.responses[status]
    const exchanged = `${method} ${path} -> ${response.status}`
    assert.ok(documented, `${exchanged}: the status is not in the contract`)
    checkHeaders(documented, response, exchanged)
    const bodiless = method === 'HEAD' || documented.content === undefined
    if (bodiless) assert.equal(response.body.length, 0, `${exchanged}: the contract gives it no body`)
    else checkBody(['paths', pathname, verb, 'responses', status, 'content'], documented, response, exchanged)
    checkProblemCode(documented, response, exchanged)
  }

  function checkHeaders({ headers = {} }: Documented, response: HttpResponse, exchanged: string): void {
    const documented = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
    for (const [name, header] of Object.entries(headers)) {
      const component = '$ref' in header ? document.components.headers[header.$ref.replace(/.*\//, '')] : header
      assert.ok(component, `${exchanged}: the documented header ${name} leads nowhere`)
      const value = response.headers[name.toLowerCase()]
      if (value === undefined) assert.ok(!component.required, `${exchanged}: lacks the documented header ${name}`)
      else if (component.schema.type === 'integer')
        assert.match(value, /^\d+$/, `${exchanged}: ${name} is documented as an integer`)
    }
    for (const name of Object.keys(response.headers))
      assert.ok(TRANSPORT.includes(name) || documented.has(name), `${exchanged}: the header ${name} is not documented`)
  }

  /** The status alone is not enough: several codes share one. */
  function checkProblemCode({ content = {} }: Documented, response: HttpResponse, exchanged: string): void {
    const type = response.headers['content-type'] ?? ''
    const code = response.body.length === 0 ? undefined : problemCodeIn(type, response.json)
    if (code === undefined || content[type] === undefined) return
    const { examples } = content[type]
    const listed = examples === undefined ? BEFORE_THE_OPERATION : Object.keys(examples)
    assert.ok(listed.includes(code), `${exchanged}: the contract does not list the problem ${code} for it`)
  }

  function checkBody(pointer: string[], { content = {} }: Documented, response: HttpResponse, exchanged: string): void {
    const type = response.headers['content-type'] ?? ''
    assert.ok(type in content, `${exchanged}: the content type ${type} is not documented`)
    const reference = [...pointer, type, 'schema'].map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1'))
    const validate = ajv.getSchema(`openapi#/${reference.join('/')}`)
    assert.ok(validate, `${exchanged}: no schema for ${type}`)
    assert.ok(validate(response.json), `${exchanged}: ${ajv.errorsText(validate.errors)}\n${response.text}`)
  }
}
