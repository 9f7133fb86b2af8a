import { isEmail } from '../../lib/email.ts'
import type { Zone } from '../../lib/zone.ts'
import type { Finder } from '../json-pointer.ts'
import type { MapReport } from './report.ts'
import type { Part } from './schema.ts'
import { fold, listOf, quotedText, textsOf } from './values.ts'

export interface MapContext {
  finderOf(column: string): Finder | undefined
  lookUp(lookup: string, key: string): string | undefined
  /** The timezone of dates, and of times without an offset. */
  zone: Zone
  report: MapReport | undefined
  /** How often each id occurred, in all files of an import. */
  seen: Map<string, number>
  /** Whether numbers are read only if they are exact. */
  mustBeExact?: boolean
}

export type Extract = (record: unknown, problems: string[]) => string | undefined

export function compilePart(field: string, part: Part, context: MapContext): Extract {
  const finders = listOf(part.from).flatMap((column) => {
    const find = context.finderOf(column)
    return find === undefined ? [] : { column, find }
  })
  const translate = compileTranslation(field, part, context)
  const { join, skip = 0 } = part
  return (record, problems) => {
    const texts: string[] = []
    let skipped = 0
    for (const { column, find } of finders) {
      const onProblem = (problem: string) => problems.push(`cannot be read: ${column} ${problem}`)
      for (const text of find(record).flatMap((value) => textsOf(value, onProblem, context.mustBeExact))) {
        for (const piece of piecesOf(text, part)) {
          if (skipped++ < skip) continue
          // Without join, only the first value counts: a later address would not belong to the first name.
          if (part.isEmail !== undefined && isEmail(piece) !== part.isEmail) {
            if (join === undefined) return undefined
            continue
          }
          const meaning = translate(piece, column, problems)
          if (meaning === undefined) continue
          context.report?.found(field, column, piece, meaning)
          if (join === undefined) return meaning
          texts.push(meaning)
        }
      }
    }
    return texts.length === 0 ? undefined : texts.join(join)
  }
}

function piecesOf(text: string, { split, upTo }: Part): readonly string[] {
  if (split === undefined && upTo === undefined) return [text]
  return (split === undefined ? [text] : text.split(split))
    .map((piece) => (upTo === undefined || !piece.includes(upTo) ? piece : piece.slice(0, piece.lastIndexOf(upTo))))
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
}

/** Applies the look-up, then the value table. */
function compileTranslation(
  field: string,
  { lookup, values, any, otherwise }: Part,
  { lookUp, report }: MapContext,
): (text: string, column: string, problems: string[]) => string | undefined {
  const table = values && new Map(Object.entries(values).map(([word, meaning]) => [fold(word), meaning]))
  if (any !== undefined) return () => any
  return (text, column, problems) => {
    const known = lookup === undefined ? text : lookUp(lookup, text)
    const meaning = known === undefined || table === undefined ? known : table.get(fold(known))
    if (meaning !== undefined) return meaning ?? undefined
    if (otherwise !== undefined) {
      report?.missed(field, known ?? text, otherwise)
      return otherwise ?? undefined
    }
    const where = known === undefined ? `the look-up ${lookup}` : 'the values of the map'
    problems.push(`cannot be read: ${quotedText(known ?? text)} in ${column} is not in ${where}`)
    return undefined
  }
}
