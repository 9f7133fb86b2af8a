import { checker } from '../../lib/checker.ts'
import { asciiLowerCase } from '../../lib/email.ts'
import { isPlainText, NOT_PLAIN } from '../../lib/plain-text.ts'
import { arrayOf, type Field, integer, object, string } from '../../lib/schema.ts'
import type { ListShape } from '../../resources/pages.ts'
import { toMoment } from './dates.ts'
import { quotedNames } from './tool-error.ts'

/** One argument of a tool, all of which are optional. */
export interface Argument {
  name: string
  /** As it is published. */
  schema: Field
  /** How to correct a value, as the rest of a sentence that begins with the argument's name; undefined if it is right. */
  fix(value: unknown): string | undefined
  /** The one form of a right value, by which questions are compared; undefined if it says what leaving it out says. */
  normalise(value: never): unknown
  /** Whether it is a date or an instant. */
  isMoment?: boolean
}

const asItIs = (value: unknown) => value

export const limitArgument = ({ limit: most }: ListShape): Argument => ({
  name: 'limit',
  schema: integer({ minimum: 1, maximum: most, description: `${most} if left out.` }),
  fix: (value) =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most
      ? undefined
      : `must be a whole number from 1 to ${most}.`,
  normalise: (value: number) => (value === most ? undefined : value),
})

export const cursorArgument: Argument = {
  name: 'cursor',
  schema: string({ description: 'nextCursor of the page before; same filters.' }),
  fix: (value) =>
    typeof value === 'string'
      ? undefined
      : 'must be the nextCursor of the page before, a string. Where nextCursor is null there is no further page.',
  normalise: asItIs,
}

export const etagArgument: Argument = {
  name: 'ifNoneMatch',
  schema: string({
    description: 'etag of an earlier answer; if nothing changed, only that is answered.',
  }),
  fix: (value) => (typeof value === 'string' ? undefined : 'must be the etag of an earlier answer, a string.'),
  normalise: asItIs,
}

export function fieldsArgument({ fields, always }: ListShape): Argument {
  const choosable = fields.filter((field) => !always.includes(field))
  const thereAre = `There are ${fields.join(', ')}.`
  return {
    name: 'fields',
    schema: arrayOf(string({ enum: fields }), {
      description: `Members to answer beside ${always.join(' and ')}; all if left out.`,
    }),
    fix(value) {
      if (!Array.isArray(value)) return `must be an array of names. ${thereAre}`
      const strange = value.filter((field) => !fields.includes(field))
      return strange.length === 0 ? undefined : `must not have ${quotedNames(strange)}. ${thereAre}`
    },
    normalise(value: readonly string[]) {
      const chosen = choosable.filter((field) => value.includes(field))
      return chosen.length === choosable.length ? undefined : chosen
    },
  }
}

/** Takes an instant, or a date. No format is published: a client that checks it would refuse the date. */
function momentArgument(name: string, { format: _, ...filter }: Field): Argument {
  return {
    name,
    schema: filter,
    fix: (value) =>
      typeof value === 'string' && toMoment(value) !== undefined
        ? undefined
        : 'must be a date that exists, such as 2026-11-20, or an instant with its offset, such as 2026-11-20T09:00:00Z.',
    normalise: (value: string) => toMoment(value),
    isMoment: true,
  }
}

export function filterArgument(name: string, filter: Field, ignoresCase: boolean): Argument {
  if (filter.format === 'date-time') return momentArgument(name, filter)
  const check = checker(object({ [name]: filter }))
  return {
    name,
    schema: filter,
    fix(value) {
      const [fault] = check({ [name]: value })
      if (fault !== undefined) return `${fault.problem}.`
      return typeof value === 'string' && !isPlainText(value) ? `${NOT_PLAIN}.` : undefined
    },
    normalise: ignoresCase ? (value: string) => asciiLowerCase(value) : asItIs,
  }
}
