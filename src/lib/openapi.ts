import type { Keywords } from './schema.ts'

/** The members of an OpenAPI document that are read. */
export interface OpenApi {
  info: { version: string; description: string }
  servers?: { url: string }[]
  paths: Record<string, Record<string, ApiOperation>>
  components: {
    securitySchemes: Record<string, { description: string }>
    headers: Record<string, { description: string; example: unknown; required?: boolean }>
    schemas: Record<string, Schema>
  }
}

export interface ApiOperation {
  operationId: string
  summary: string
  description: string
  deprecated?: boolean
  parameters?: ApiParameter[]
  requestBody?: { content: Record<string, ApiContent> }
  responses: Record<string, DocumentedResponse>
}

export interface ApiParameter {
  name: string
  in: 'header'
  required: boolean
  description: string
  schema: Schema
  example?: string
}

export interface DocumentedResponse {
  description: string
  headers?: Record<string, { $ref: string }>
  content?: Record<string, ApiContent>
}

export interface ApiContent {
  schema: Schema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

export interface Schema extends Omit<Keywords, 'format' | 'items'> {
  format?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
}

export const refName = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)
