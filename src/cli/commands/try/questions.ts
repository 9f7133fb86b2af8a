import { wordsOf } from '../../../import/draft/names.ts'
import type { SampleColumn } from '../../../import/draft/sample.ts'
import { textsOf } from '../../../import/map/values.ts'
import type { Definition, FieldType } from '../../../resources/declared/definition.ts'

type ColumnOf = (field: string) => SampleColumn | undefined

/** Words with a capital are often names, and short ones say nothing about the subject. */
const WORD = /(?<![\p{L}\d])\p{Ll}{5,20}(?![\p{L}\d])/u
const DUE = /^(?:deadline|deliver|delivery|due)$/

/** At least three that the list can answer. */
export function questionsAbout(
  { fields, order = [], filters = [], search = [], name }: Definition,
  columnOf: ColumnOf,
) {
  const noun = name.replace(/\d+$/, '')
  const titleOfFirst = (names: readonly string[], ...types: FieldType[]) => {
    const field = names.find((each) => types.some((type) => type === fields[each]?.type))
    return field && columnOf(field)?.title
  }
  const date = titleOfFirst([...order, ...filters], 'date', 'instant')
  const group = titleOfFirst(filters, 'choice') ?? titleOfFirst(filters, 'text')
  const words = search.flatMap((field) => columnOf(field)?.values ?? []).flatMap((value) => textsOf(value))
  const [word] = words.join(' ').match(WORD) ?? []
  const when = wordsOf(date ?? '').some((each) => DUE.test(each))
    ? 'are due this week'
    : `fall in this week, by ${date}`
  return [
    date && `Which ${noun} ${when}?`,
    group && `How many ${noun} per ${group}?`,
    word && `Anything about ${word}?`,
    `How many ${noun} are there?`,
    `What are the first five ${noun}?`,
    `What can you tell me about these ${noun}?`,
  ].filter((question) => question !== undefined)
}
