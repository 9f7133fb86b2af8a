import { readFileSync } from 'node:fs'
import { isObject, isOf } from '../../lib/checker.ts'
import { isEmail } from '../../lib/email.ts'
import { toInstant } from '../../lib/instant.ts'
import { type DocumentedResponse, type OpenApi, refName, type Schema } from '../../lib/openapi.ts'

const MAX_DECLARED = 50
/** The largest list, of 100 rows with 100 lists of 100 texts, takes 1,000,000 or more. Alternatives within alternatives could take forever. */
const MAX_STEPS = 5_000_000

/** The committed OpenAPI document, which is generated from the code that serves it. */
export class Contract {
  readonly document: OpenApi
  /** Paths of resources that the deployment's operator declared. */
  readonly declared: string[] = []
  #steps = 0

  constructor(document: OpenApi) {
    this.document = document
  }

  /** Adds the resources that only the deployment's own document has. A gateway's document may describe other services. */
  addDeclared(document: unknown): void {
    if (!isObject(document) || !isObject(document.paths) || !isObject(document.components)) return
    if (Object(document.info).title !== 'Vitrine') return
    const { paths, components } = this.document
    for (const [path, item] of Object.entries(document.paths)) {
      const isNew = !Object.hasOwn(paths, path) && /^\/[a-z][a-z0-9]*$/.test(path)
      if (isNew && isObject(item) && 'get' in item && this.declared.push(path) >= MAX_DECLARED) break
    }
    for (const path of this.declared) paths[path] = document.paths[path] as OpenApi['paths'][string]
    if (isObject(document.components.schemas))
      components.schemas = {
        ...(document.components.schemas as OpenApi['components']['schemas']),
        ...components.schemas,
      }
  }

  get version(): string {
    return this.document.info.version
  }

  operations(): { method: string; path: string }[] {
    return Object.entries(this.document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => ({ method: method.toUpperCase(), path })),
    )
  }

  /** GET paths are the built-in resources, POST paths the MCP endpoints. */
  pathsWith(method: 'GET' | 'POST'): string[] {
    return this.operations().flatMap(({ method: each, path }) =>
      each === method && !this.declared.includes(path) ? [path] : [],
    )
  }

  /** Undefined if the contract does not have the status. */
  requiredHeaders(method: string, path: string, status: number): string[] | undefined {
    const documented = this.#documented(method, path, status)
    if (documented === undefined) return undefined
    // In a malformed document, it may be null.
    return Object.entries(documented?.headers ?? {}).flatMap(([name, header]) => {
      const definition = this.document.components.headers[refName(String(header?.$ref))]
      return definition?.required === true ? [name] : []
    })
  }

  bodyError(method: string, path: string, status: number, type: string, json: unknown): string | undefined {
    const schema = this.#documented(method, path, status)?.content?.[type]?.schema
    return schema === undefined ? `the contract lists no ${type} for this response` : this.#firstError(schema, json)
  }

  schemaError(name: string, json: unknown): string | undefined {
    return this.#firstError({ $ref: name }, json)
  }

  #firstError(schema: unknown, value: unknown): string | undefined {
    this.#steps = 0
    return this.#error(schema, value)
  }

  #documented(method: string, path: string, status: number): DocumentedResponse | undefined {
    return this.document.paths[path]?.[method.toLowerCase()]?.responses[status]
  }

  /**
   * Returns the first error. Unknown members are accepted where the schema allows them: a newer server may have more. Throws if a
   * schema from the deployment is malformed, circular or too large.
   */
  #error(schema: unknown, value: unknown, at = ''): string | undefined {
    if (++this.#steps > MAX_STEPS) throw new Error("the document's schema is too large")
    if (!isObject(schema)) return undefined
    const { $ref, anyOf, format = '', items, maxItems = Number.POSITIVE_INFINITY } = schema as Schema
    if ($ref !== undefined) return this.#error(this.document.components.schemas[refName($ref)], value, at)
    if (anyOf !== undefined) {
      const errors = anyOf.map((each) => this.#error(each, value, at))
      return errors.includes(undefined) ? undefined : errors[0]
    }
    const where = at || 'the body'
    const types = [(schema as Schema).type ?? []].flat()
    if (types.length > 0 && !types.some((type) => isOf[type]?.(value)))
      return `${where} must be of type ${types.join(' or ')}`
    if ('const' in schema && value !== schema.const) return `${where} must be ${JSON.stringify(schema.const)}`
    if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return `${where} is not one of the allowed values`
    if (typeof value === 'string' && formats[format]?.(value) === false)
      return `${where} must be in the format ${format}`
    if (Array.isArray(value) && value.length > maxItems)
      return `${where} must have at most ${maxItems} items, and has ${value.length}`
    if (Array.isArray(value) && items) return firstError(value, (item, i) => this.#error(items, item, `${at}[${i}]`))
    return isObject(value) ? this.#memberError(schema, value, at && `${at}.`) : undefined
  }

  #memberError(schema: Schema, value: Record<string, unknown>, before: string): string | undefined {
    const { required = [], properties = {}, additionalProperties = true } = schema
    const missing = required.find((name) => !Object.hasOwn(value, name))
    if (missing !== undefined) return `${before}${missing} is missing`
    return firstError(Object.keys(value), (name) => {
      const member = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
      if (member === false) return `${before}${name} is not in the contract`
      return this.#error(member, value[name], `${before}${name}`)
    })
  }
}

const firstError = <T>(values: T[], errorOf: (value: T, index: number) => string | undefined): string | undefined =>
  values
    .values()
    .map(errorOf)
    .find((error) => error !== undefined)

const formats: Record<string, (text: string) => boolean> = {
  'date-time': (text) => toInstant(text) !== undefined,
  email: isEmail,
  // Rejects characters that a URI must not contain (RFC 3986).
  'uri-reference': (text) => /^[^\s<>"{}|\\^`]*$/.test(text) && URL.canParse(text, 'http://base.invalid'),
}

export const readContract = (): Contract =>
  new Contract(JSON.parse(readFileSync(new URL('../../../contract/openapi.json', import.meta.url), 'utf8')))
