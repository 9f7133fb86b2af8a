import { checker } from '../../lib/checker.ts'
import { asciiLowerCase } from '../../lib/email.ts'
import { isPlainText, NOT_PLAIN } from '../../lib/plain-text.ts'
import { arrayOf, type Field, integer, object, string } from '../../lib/schema.ts'
import type { ListShape } from '../../resources/pages.ts'
import { longFields } from './bounded-page.ts'
import { toMoment } from './dates.ts'
import { quotedNames } from './tool-error.ts'

/** How to correct a value, as the rest of a sentence that begins with the name of its argument. */
export class Fix {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** One argument of a tool, all of which are optional. */
export interface Argument {
  name: string
  /** As it is published. */
  schema: Field
  /** A value in its one form, by which questions are compared; undefined if it says what leaving it out says. */
  read(value: unknown): string | number | readonly string[] | undefined | Fix
  /** Whether it is a date or an instant. */
  isMoment?: boolean
}

export const limitArgument = ({ limit: most }: ListShape): Argument => ({
  name: 'limit',
  schema: integer({ minimum: 1, maximum: most, description: `${most} if left out.` }),
  read(value) {
    if (value === most) return undefined
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) return value
    return new Fix(`must be a whole number from 1 to ${most}.`)
  },
})

const textArgument = (name: string, description: string, wrong: string): Argument => ({
  name,
  schema: string({ description }),
  read: (value) => (typeof value === 'string' ? value : new Fix(wrong)),
})

export const cursorArgument = textArgument(
  'cursor',
  'nextCursor of the page before; same filters.',
  'must be the nextCursor of the page before, a string. Where nextCursor is null there is no further page.',
)

export const etagArgument = textArgument(
  'ifNoneMatch',
  'etag of an earlier answer; if nothing changed, only that is answered.',
  'must be the etag of an earlier answer, a string.',
)

export function fieldsArgument(list: ListShape): Argument {
  const { fields, always } = list
  const choosable = fields.filter((field) => !always.includes(field))
  const hasLong = longFields(list).length > 0
  const cut = hasLong ? '; long texts are then cut' : ''
  const thereAre = `There are ${fields.join(', ')}.`
  return {
    name: 'fields',
    schema: arrayOf(string({ enum: fields }), {
      description: `Members to answer beside ${always.join(' and ')}; all if left out${cut}.`,
    }),
    read(value) {
      if (!Array.isArray(value)) return new Fix(`must be an array of names. ${thereAre}`)
      const strange = value.filter((field) => !fields.includes(field))
      if (strange.length > 0) return new Fix(`must not have ${quotedNames(strange)}. ${thereAre}`)
      const chosen = choosable.filter((field) => value.includes(field))
      // Texts that are asked for by name are whole.
      return chosen.length === choosable.length && !hasLong ? undefined : chosen
    },
  }
}

/** Takes an instant, or a date. No format is published: a client that checks it would refuse the date. */
const momentArgument = (name: string, { format: _, ...filter }: Field): Argument => ({
  name,
  schema: filter,
  read: (value) => (typeof value === 'string' ? toMoment(value) : undefined) ?? NO_MOMENT,
  isMoment: true,
})

const NO_MOMENT = new Fix(
  'must be a date that exists, such as 2026-11-20, or an instant with its offset, such as 2026-11-20T09:00:00Z.',
)

export function filterArgument(name: string, filter: Field, ignoresCase: boolean): Argument {
  if (filter.format === 'date-time') return momentArgument(name, filter)
  const check = checker(object({ [name]: filter }))
  return {
    name,
    schema: filter,
    read(value) {
      const [fault] = check({ [name]: value })
      if (fault !== undefined) return new Fix(`${fault.problem}.`)
      if (typeof value !== 'string') return value as number
      if (!isPlainText(value)) return new Fix(`${NOT_PLAIN}.`)
      return ignoresCase ? asciiLowerCase(value) : value
    },
  }
}
