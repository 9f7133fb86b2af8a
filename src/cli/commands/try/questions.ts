import { wordsOf } from '../../../import/draft/names.ts'
import type { SampleColumn } from '../../../import/draft/sample.ts'
import { textsOf } from '../../../import/map/values.ts'
import type { Definition, FieldType } from '../../../resources/declared/definition.ts'

type ColumnOf = (field: string) => SampleColumn | undefined

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
  const word = frequentWord(search.flatMap((field) => columnOf(field)?.values ?? []))
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

/** They say nothing about the subject of a text. */
const COMMON =
  /^(?:about|after|again|before|being|below|between|could|during|every|first|other|please|should|since|still|their|there|these|those|through|under|until|where|which|while|within|without|would)$/
/** Words with a capital are often names. */
const WORD = /(?<![\p{L}\d])\p{Ll}{5,20}(?![\p{L}\d])/gu

/** The word that most of the values share, but not more than half of them. */
function frequentWord(values: readonly unknown[]): string | undefined {
  const texts = values.flatMap((value) => textsOf(value))
  const counts = new Map<string, number>()
  for (const word of texts.flatMap((text) => [...new Set(text.match(WORD))]))
    if (!COMMON.test(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const [best] = [...counts].filter(([, count]) => count <= texts.length / 2).sort((a, b) => b[1] - a[1])
  return best?.[0]
}
