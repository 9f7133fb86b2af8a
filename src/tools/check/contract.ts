import { readFileSync } from 'node:fs'
import { isObject, isOf } from '../../lib/checker.ts'
import { isEmail } from '../../lib/email.ts'
import { toInstant } from '../../lib/instant.ts'
import { type DocumentedResponse, type OpenApi, refName, type Schema } from '../../lib/openapi.ts'

const MAX_DECLARED = 50

/** The committed OpenAPI document, which is generated from the code that serves it. */
export class Contract {
  readonly document: OpenApi
  /** Paths of resources that the deployment's operator declared. */
  readonly declared: string[] = []

  constructor(document: OpenApi) {
    this.document = document
  }

  /** Adds the resources that only the deployment's own document has. A gateway's document may describe other services. */
  addDeclared(served: unknown): void {
    const { info, paths, components } = Object(served)
    if (Object(info).title !== 'Vitrine' || !isObject(paths) || !isObject(components)) return
    for (const [path, item] of Object.entries(paths)) {
      const isDeclared = !Object.hasOwn(this.document.paths, path) && /^\/[a-z][a-z0-9]*$/.test(path)
      if (!isDeclared || !isObject(item) || !('get' in item) || this.declared.length === MAX_DECLARED) continue
      this.declared.push(path)
      this.document.paths[path] = item as OpenApi['paths'][string]
    }
    const own = this.document.components
    own.schemas = { ...(components.schemas as typeof own.schemas), ...own.schemas }
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

  /** Other methods of a path are refused as its first operation documents it. Undefined for what is not an operation. */
  response(method: string, path: string, status: number): DocumentedResponse | undefined {
    const item = Object.hasOwn(this.document.paths, path) ? this.document.paths[path] : undefined
    const { responses } = item?.[method.toLowerCase()] ?? Object.values(item ?? {})[0] ?? {}
    return responses?.[status] ?? responses?.default
  }

  requiredHeaders({ headers = {} }: DocumentedResponse): string[] {
    const isRequired = ($ref: string) => this.document.components.headers[refName($ref)]?.required === true
    return Object.entries(headers).flatMap(([name, { $ref }]) => (isRequired($ref) ? [name] : []))
  }

  /** The first error. Unknown properties are accepted where the schema allows them: a newer server may have more. */
  error(schema: unknown, value: unknown, at = ''): string | undefined {
    if (!isObject(schema)) return undefined
    const { $ref, anyOf, format = '', items, maxItems = Number.POSITIVE_INFINITY } = schema as Schema
    if ($ref !== undefined) return this.error(this.document.components.schemas[refName($ref)], value, at)
    if (anyOf !== undefined) {
      const errors = anyOf.map((each) => this.error(each, value, at))
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
    if (Array.isArray(value) && items) return firstError(value, (item, i) => this.error(items, item, `${at}[${i}]`))
    return isObject(value) ? this.#propertyError(schema, value, at && `${at}.`) : undefined
  }

  #propertyError(schema: Schema, value: Record<string, unknown>, before: string): string | undefined {
    const { required = [], properties = {}, additionalProperties = true } = schema
    const missing = required.find((name) => !Object.hasOwn(value, name))
    if (missing !== undefined) return `${before}${missing} is missing`
    return firstError(Object.keys(value), (name) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
      if (property === false) return `${before}${name} is not in the contract`
      return this.error(property, value[name], `${before}${name}`)
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
