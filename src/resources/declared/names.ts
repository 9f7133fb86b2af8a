import { type Fault, fault } from '../../lib/fault.ts'

export const MAX_NAME_LENGTH = 24
const MAX_FIELD_LENGTH = 35

/** What commands count beside the rows of lists. */
const RESERVED_NAMES = ['members', 'sources']

/** What tools, commands and import records have besides a row's fields. */
const RESERVED_FIELDS = ['source', 'deleted', 'truncated', 'whyNotAnswered']

/** Names that the command line or a client could not use, by the member of a definition. */
export const reservedNameFaults = (name: string, fields: readonly string[]): Fault[] => [
  ...fault(
    'name',
    RESERVED_NAMES.includes(name) && 'is the name of something that the service already has; choose another',
  ),
  ...fields.flatMap((field) => fieldNameFaults(field)),
]

export const fieldNameFaults = (field: string): Fault[] => [
  ...fault(`fields.${field}`, !/^[a-z][a-zA-Z0-9]*$/.test(field) && 'must be camelCase, of letters and digits only'),
  ...fault(
    `fields.${field}`,
    field.length > MAX_FIELD_LENGTH && `must be at most ${MAX_FIELD_LENGTH} characters long, and has ${field.length}`,
  ),
  ...fault(`fields.${field}`, (RESERVED_FIELDS.includes(field) || field in {}) && 'is a reserved name; choose another'),
]
