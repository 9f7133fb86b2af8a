/** The subset of JSON Schema used to publish bodies and arguments and to check values. */
export interface Keywords {
  type?: JsonType | readonly JsonType[]
  description?: string
  format?: Format
  enum?: readonly unknown[]
  const?: unknown
  minLength?: number
  maxLength?: number
  pattern?: string
  /** Not part of JSON Schema, but editors show it instead of the pattern. */
  patternErrorMessage?: string
  minimum?: number
  maximum?: number
  items?: Field
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  $ref?: string
}

/** `Value` is the type of the valid values. */
export interface Field<Value = unknown> extends Keywords {
  readonly [VALUE]?: Value
  readonly [OPTIONAL]?: true
}

export type JsonType = 'string' | 'boolean' | 'integer' | 'number' | 'object' | 'array' | 'null'
export type Format = 'date-time' | 'date' | 'email' | 'uri'

/** Exists only in types, and never in a schema's JSON. */
declare const VALUE: unique symbol
const OPTIONAL = Symbol('optional')

export type Fields = Record<string, Field>

export interface ObjectSchema<Properties extends Fields = Fields> extends Field<Values<Properties>> {
  type: 'object'
  required?: string[]
  properties: Properties
  additionalProperties?: boolean
}

/** An object with arbitrary member names and values of one type. */
export interface MapSchema<Value = unknown> extends Field<Record<string, Value>>, MapOptions {
  type: 'object'
  additionalProperties: Field<Value>
}

interface MapOptions {
  required?: string[]
  minProperties?: number
  maxProperties?: number
  propertyNames?: Field<string>
}

type ValueOf<F> = F extends Field<infer Value> ? Value : never
export type Optional<F> = F & { readonly [OPTIONAL]: true }
type OptionalNames<P> = { [Name in keyof P]: P[Name] extends { [OPTIONAL]: true } ? Name : never }[keyof P]

export type Values<P> = { [Name in Exclude<keyof P, OptionalNames<P>>]: ValueOf<P[Name]> } & {
  [Name in OptionalNames<P>]?: ValueOf<P[Name]>
}

type Options = Omit<Keywords, 'type'>

export const string = (options: Options = {}): Field<string> => ({ type: 'string', ...options })

/** May be null, but is always present. */
export const nullableString = (options: Options): Field<string | null> => ({ type: ['string', 'null'], ...options })

export const integer = (options: Options = {}): Field<number> => ({ type: 'integer', ...options })

export const boolean = (options: Options = {}): Field<boolean> => ({ type: 'boolean', ...options })

/** May be null, but is always present. */
export const nullable = <Value>(field: Field<Value>): Field<Value | null> => ({
  ...field,
  type: [field.type ?? [], 'null' as const].flat(),
  ...(field.enum !== undefined && { enum: [...field.enum, null] }),
})

export const mapOf = <Value>(values: Field<Value>, options: Options & MapOptions = {}): MapSchema<Value> => ({
  type: 'object',
  additionalProperties: values,
  ...options,
})

export const optional = <F extends Field>(field: F): Optional<F> => ({ ...field, [OPTIONAL]: true })

export const reference = (name: string): Field => ({ $ref: name })

export const arrayOf = <Value>(items: Field<Value>, options: Options = {}): Field<Value[]> => ({
  type: 'array',
  items,
  ...options,
})

export function object<P extends Fields>(
  properties: P,
  options: Options & { additionalProperties?: boolean } = {},
): ObjectSchema<P> {
  const required = Object.keys(properties).filter((name) => properties[name]?.[OPTIONAL] === undefined)
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
}
