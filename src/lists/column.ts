/** The fields of a list: kinds, limits and values. */

export type Kind =
  /** Never empty, unless it is nullable. */
  | 'text'
  | 'email'
  /** An absolute http or https URL. */
  | 'url'
  | 'instant'
  /** A business date, YYYY-MM-DD. It is never converted between timezones. */
  | 'date'
  | 'integer'
  /** Exact, as text: see lib/decimal.ts. */
  | 'decimal'
  /** A decimal in the workspace's currency. */
  | 'money'
  | 'boolean'
  | 'choice'
  /** A list, which can be empty. It cannot be sorted by, filtered or searched. */
  | 'texts'

const isKind =
  (...kinds: Kind[]) =>
  ({ kind }: Pick<Column, 'kind'>) =>
    kinds.includes(kind)
export const isText = isKind('text', 'email', 'url')
export const isDecimalKind = isKind('decimal', 'money')

export interface Column<K extends Kind = Kind> {
  kind: K
  isNullable: boolean
  /** Otherwise it is stored and imported, but not in responses. */
  isPublished: boolean
  description: string
  /** In characters (code points). For a list of texts, the length of each. */
  maxLength?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  choices?: readonly string[]
  /** What is stored if a record leaves the field out; without it a column that is not nullable is required. */
  default?: string | number | boolean
  /** Defaults to the current time if a record leaves it out. */
  isCreation?: boolean
}

export type Columns = { id: Column<'text'> } & Record<string, Column>

/** An imported row: JSON values by field, instants in the stored form, missing fields as null. */
export type RowOf<C extends Columns> = {
  [Field in keyof C]: ValueOf<C[Field]['kind']> | null
}
type ValueOf<K extends Kind> = K extends 'integer'
  ? number
  : K extends 'boolean'
    ? boolean
    : K extends 'texts'
      ? readonly string[]
      : string

export type Value = string | number | boolean | readonly string[] | null
export type Row = Record<string, Value>

interface Options {
  description: string
  nullable?: boolean
  published?: boolean
}

type Limits = Partial<Omit<Column, 'kind' | 'isNullable' | 'isPublished' | 'description'>>

/** The default; a definition can change it. */
export const MAX_URL_LENGTH = 2048

/** The range of integers that JavaScript represents exactly. */
const LIMITS: Partial<Record<Kind, Limits>> = {
  email: { maxLength: 320 },
  url: { maxLength: MAX_URL_LENGTH },
  integer: { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
}

export const column = <K extends Kind>(
  kind: K,
  { nullable = false, published = true, ...limits }: Options & Limits,
): Column<K> => ({ kind, isNullable: nullable, isPublished: published, ...LIMITS[kind], ...limits })

/** One of a few words. By default the first is the default; null means none. */
export const choice = (
  choices: readonly [string, ...string[]],
  { default: preset = choices[0], ...options }: Options & { default?: string | null },
): Column<'choice'> => column('choice', { ...options, choices, ...(preset !== null && { default: preset }) })

/** When the row was created, which is not published; defaults to now. A replaced row keeps it, unless the new one sets another. */
export const creation = (options: Omit<Options, 'nullable' | 'published'>) =>
  column('instant', { ...options, published: false, isCreation: true })

export const isRequired = ({ isNullable, default: value, isCreation = false }: Column): boolean =>
  !isNullable && value === undefined && !isCreation
