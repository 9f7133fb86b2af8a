import { isEmail } from '../../lib/email.ts'
import type { MapContext, TextReader } from './context.ts'
import type { Part } from './schema.ts'
import { fold, listOf, quotedText, textsOf } from './texts.ts'

/** Compiles how values are found in a record, up to the text that they come to. */
export function partReader(field: string, part: Part, context: MapContext): TextReader {
  const sources = listOf(part.from).flatMap((name) => {
    const values = context.find(name)
    return values === undefined ? [] : { name, values }
  })
  const pieces = pieceReader(part)
  const translate = translator(field, part, context)
  const { join, skip = 0 } = part
  return (record, problems) => {
    const texts: string[] = []
    let skipped = 0
    for (const { name, values } of sources) {
      for (const value of values(record)) {
        for (const text of textsOf(value, (problem) => problems.push(`cannot be read: ${name} ${problem}`))) {
          for (const piece of pieces(text)) {
            if (skipped++ < skip) continue
            // Without join, the first counts or none: the address of another would not belong to the name.
            if (part.isEmail !== undefined && isEmail(piece) !== part.isEmail) {
              if (join === undefined) return undefined
              continue
            }
            const meaning = translate(piece, name, problems)
            if (meaning === undefined) continue
            context.report?.found(field, name, piece, meaning)
            if (join === undefined) return meaning
            texts.push(meaning)
          }
        }
      }
    }
    return texts.length === 0 ? undefined : texts.join(join)
  }
}

/** The values in one text. */
function pieceReader({ split, upTo }: Part): (text: string) => readonly string[] {
  if (split === undefined && upTo === undefined) return (text) => [text]
  return (text) =>
    (split === undefined ? [text] : text.split(split))
      .map((piece) => (upTo === undefined || !piece.includes(upTo) ? piece : piece.slice(0, piece.lastIndexOf(upTo))))
      .map((piece) => piece.trim())
      .filter((piece) => piece !== '')
}

type Translate = (text: string, source: string, problems: string[]) => string | undefined

/** What a value stands for by the look-up, then by the value table. */
function translator(
  field: string,
  { lookup, values, any, otherwise }: Part,
  { lookUp, report }: MapContext,
): Translate {
  const table = values && new Map(Object.entries(values).map(([word, meaning]) => [fold(word), meaning]))
  if (any !== undefined) return () => any
  return (text, source, problems) => {
    const known = lookup === undefined ? text : lookUp(lookup, text)
    const meaning = known === undefined || table === undefined ? known : table.get(fold(known))
    if (meaning !== undefined) return meaning ?? undefined
    if (otherwise !== undefined) {
      report?.missed(field, known ?? text, otherwise)
      return otherwise ?? undefined
    }
    const where = known === undefined ? `the look-up ${lookup}` : 'the values of the map'
    problems.push(`cannot be read: ${quotedText(known ?? text)} in ${source} is not in ${where}`)
    return undefined
  }
}

/** With what comes before and after a text. */
export const framed = (text: string, { prefix = '', suffix = '' }: Part): string => prefix + text + suffix
