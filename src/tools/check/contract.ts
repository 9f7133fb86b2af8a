import { readFileSync } from 'node:fs'
import { type JsonSchema, schemaFault } from './json-schema.ts'

interface Documented {
  headers?: Record<string, { $ref: string }>
  content?: Record<string, { schema: JsonSchema }>
}

/** What is read of an OpenAPI document. */
export interface OpenApi {
  info: { title: string; version: string }
  servers?: { url: string }[]
  paths: Record<string, Record<string, { responses: Record<string, Documented> }>>
  components: {
    headers: Record<string, { required?: boolean; schema: JsonSchema }>
    schemas: Record<string, JsonSchema>
  }
}

interface Operation {
  method: string
  path: string
}

/** The published contract: the committed OpenAPI document, which is generated from the code that serves it. */
export class Contract {
  readonly document: OpenApi

  constructor(document: OpenApi) {
    this.document = document
  }

  get version(): string {
    return this.document.info.version
  }

  operations(): Operation[] {
    return Object.entries(this.document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => ({ method: method.toUpperCase(), path })),
    )
  }

  /** The paths of the resources, and of the MCP endpoints. */
  pathsWith(method: 'GET' | 'POST'): string[] {
    return this.operations().flatMap((each) => (each.method === method ? [each.path] : []))
  }

  /** The headers that a response of this status must have. Undefined if the contract does not know the status. */
  requiredHeaders(method: string, path: string, status: number): string[] | undefined {
    const documented = this.documented(method, path, status)
    if (documented === undefined) return undefined
    return Object.entries(documented.headers ?? {})
      .filter(([, { $ref }]) => this.document.components.headers[nameOf($ref)]?.required)
      .map(([name]) => name)
  }

  /** What is wrong with a body, by the schema of the first media type that it was documented in. */
  bodyFault(method: string, path: string, status: number, type: string, json: unknown): string | undefined {
    const schema = this.documented(method, path, status)?.content?.[type]?.schema
    if (schema === undefined) return `the contract has no ${type} for it`
    return this.fault(schema, json)
  }

  /** By the name of one of the document's schemas. */
  schemaFault(name: string, json: unknown): string | undefined {
    return this.fault({ $ref: `#/components/schemas/${name}` }, json)
  }

  private fault(schema: JsonSchema, json: unknown): string | undefined {
    return schemaFault(schema, json, (ref) => this.document.components.schemas[nameOf(ref)] ?? {})
  }

  private documented(method: string, path: string, status: number): Documented | undefined {
    return this.document.paths[path]?.[method.toLowerCase()]?.responses[status]
  }
}

const nameOf = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1)

export const readContract = (): Contract =>
  new Contract(JSON.parse(readFileSync(new URL('../../../contract/openapi.json', import.meta.url), 'utf8')))
