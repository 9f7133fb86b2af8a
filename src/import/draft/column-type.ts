import { charactersIn, isLonger } from '../../lib/checker.ts'
import { isDecimal } from '../../lib/decimal.ts'
import { isEmail } from '../../lib/email.ts'
import { isHttpUrl } from '../../lib/http-url.ts'
import { toInstant } from '../../lib/instant.ts'
import { UTC } from '../../lib/local-dates.ts'
import { MAX_URL_LENGTH } from '../../lists/column.ts'
import type { FieldDefinition, FieldType } from '../../resources/declared/definition.ts'
import { dateParser, instantOf } from '../map/dates.ts'
import type { FieldRule } from '../map/schema.ts'
import { type DecimalMark, decimalParser, textsOf } from '../map/values.ts'
import type { SampleColumn } from './sample.ts'

/** A column's type, and how a map must read its values. */
export interface ColumnType {
  field: Pick<FieldDefinition, 'type' | 'maxLength' | 'maxItems' | 'values'>
  /** Beyond `from`. */
  rule: Omit<FieldRule, 'from'>
  /** How an ambiguous column is read. */
  doubt?: string
}

export interface ExaminedColumn extends SampleColumn {
  /** The values that are not empty, as texts. */
  texts: readonly string[]
  words: readonly string[]
}

export const MAX_TEXT = 10_000

const INTEGER = /^(?:0|-?[1-9]\d{0,14})$/
const MONEY =
  /^(?:amount|balance|budget|cost|fee|gross|net|paid|payment|price|revenue|salary|subtotal|sum|tax|total|value|vat)s?$/
/** Their digits are not quantities. */
const CODE =
  /^(?:code|ean|fax|gtin|iban|id|isbn|key|mobile|no|number|phone|postcode|ref|reference|sku|tel|telephone|uuid|vin|zip)s?$/
const CHOICE =
  /^(?:category|channel|class|country|currency|kind|level|phase|priority|severity|stage|state|status|tier|type)$/

export function columnTypeOf(column: ExaminedColumn, hasCurrency: boolean): ColumnType {
  const { texts, values } = column
  if (texts.length === 0 && !values.some(Array.isArray)) return { field: { type: 'text', maxLength: 200 }, rule: {} }
  const types = detectors.values().map((detect) => detect(column, hasCurrency))
  return types.find((type) => type !== undefined) ?? textType(column)
}

type Detector = (column: ExaminedColumn, hasCurrency: boolean) => ColumnType | undefined

const detectors: Detector[] = [detectTexts, detectBoolean, detectNumber, detectAddress, detectTime, detectChoice]

/** Only JSON has lists: in a CSV file, a map would have to split them, and nothing shows where. */
function detectTexts({ values }: ExaminedColumn): ColumnType | undefined {
  if (!values.some(Array.isArray)) return undefined
  const lists = values.map((value) => textsOf(value))
  const most = Math.max(...lists.map((list) => list.length))
  const maxItems = [20, 50].find((items) => items >= most * 2) ?? 100
  return { field: { type: 'texts', maxLength: maxLengthFor(lists.flat()), maxItems }, rule: {} }
}

const BOOLEANS: readonly (readonly [yes: string, no: string])[] = [
  ['true', 'false'],
  ['yes', 'no'],
  ['y', 'n'],
]

function detectBoolean({ texts }: ExaminedColumn): ColumnType | undefined {
  const words = new Set(texts.map((text) => text.toLowerCase()))
  const pair = BOOLEANS.find((pair) => [...words].every((word) => pair.includes(word)))
  if (pair === undefined) return undefined
  const isPlain = texts.every((text) => text === 'true' || text === 'false')
  const [yes, no] = pair
  return { field: { type: 'boolean' }, rule: isPlain ? {} : { values: { [yes]: 'true', [no]: 'false' } } }
}

function detectNumber({ texts, values, words }: ExaminedColumn, hasCurrency: boolean): ColumnType | undefined {
  if (words.some((word) => CODE.test(word)) || !values.every(isExact)) return undefined
  const isMoney = words.some((word) => MONEY.test(word))
  const type = isMoney && !hasCurrency ? 'money' : 'decimal'
  if (texts.every((text) => INTEGER.test(text))) return { field: { type: isMoney ? type : 'integer' }, rule: {} }
  if (texts.every(isDecimal)) return { field: { type }, rule: {} }
  const [mark, other] = MARKS.filter((each) => {
    const read = decimalParser(each)
    return texts.every((text) => isDecimal(read(text) ?? ''))
  })
  if (mark === undefined) return undefined
  const doubt = `the decimal mark may be '${mark}' or '${other}'; it is read as '${mark}'`
  return { field: { type }, rule: { decimal: mark }, ...(other !== undefined && { doubt }) }
}

const MARKS: readonly DecimalMark[] = ['.', ',']

/** A number in JSON may have been rounded when it was parsed. */
function isExact(value: unknown): boolean {
  let isExact = true
  textsOf(value, () => (isExact = false), true)
  return isExact
}

function detectAddress({ texts }: ExaminedColumn): ColumnType | undefined {
  if (texts.every((text) => text.length <= 320 && isEmail(text))) return { field: { type: 'email' }, rule: {} }
  if (texts.every((text) => text.length <= MAX_URL_LENGTH && isHttpUrl(text)))
    return { field: { type: 'url', maxLength: MAX_URL_LENGTH }, rule: {} }
  return undefined
}

const DATES =
  'yyyy/MM/dd|dd/MM/yyyy|MM/dd/yyyy|dd.MM.yyyy|dd-MM-yyyy|d MMM yyyy|d MMMM yyyy|dd-MMM-yyyy|MMM d, yyyy|dd/MM/yy|MM/dd/yy'.split(
    '|',
  )
const TIMES = [' HH:mm', ' HH:mm:ss', ' h:mm a']

function detectTime({ texts }: ExaminedColumn): ColumnType | undefined {
  const fits = (format: string) => {
    const parse = dateParser(format)
    return texts.every((text) => {
      const time = parse(text)
      return time !== undefined && instantOf(time, UTC, 'end', false) !== undefined
    })
  }
  if (fits('iso')) {
    const isDate = texts.every((text) => text.length === 'yyyy-MM-dd'.length)
    return { field: { type: isDate ? 'date' : 'instant' }, rule: {}, ...(!isDate && localNote(texts)) }
  }
  const dates = DATES.filter(fits)
  if (dates.length > 0) return inFormats('date', dates)
  const times = DATES.flatMap((date) => TIMES.map((time) => `${date}${time}`)).filter(fits)
  return times.length > 0 ? { ...inFormats('instant', times), ...(times.length === 1 && localNote(texts)) } : undefined
}

const localNote = (texts: readonly string[]) =>
  texts.every((text) => toInstant(text) !== undefined)
    ? {}
    : { doubt: "times without an offset are read in the workspace's timezone" }

const inFormats = (type: FieldType, [format = '', other]: readonly string[]): ColumnType => ({
  field: { type },
  rule: { formats: [format] },
  ...(other !== undefined && { doubt: `the format may be ${format} or ${other}; it is read as ${format}` }),
})

const MAX_CHOICES = 10

function detectChoice({ texts, words }: ExaminedColumn): ColumnType | undefined {
  const values = [...new Set(texts)]
  const isNamed = words.some((word) => CHOICE.test(word))
  const leastRepeats = isNamed ? 1.5 : 5
  if (values.length < 2 || values.length > MAX_CHOICES || texts.length < values.length * leastRepeats) return undefined
  if (values.some((value) => value.length > 50 || /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(value))) return undefined
  return { field: { type: 'choice', values }, rule: {} }
}

function textType({ texts }: ExaminedColumn): ColumnType {
  const isLong = texts.some((text) => isLonger(text, MAX_TEXT))
  return {
    field: { type: 'text', maxLength: maxLengthFor(texts) },
    rule: isLong ? { truncate: true } : {},
    ...(isLong && { doubt: `texts over ${MAX_TEXT} characters are truncated` }),
  }
}

const LENGTHS = [100, 200, 500, 1000, 2000, 5000]

export function maxLengthFor(texts: readonly string[]): number {
  // Not by spreading: the texts of lists may be more than a call takes.
  const longest = texts.reduce((most, text) => Math.max(most, charactersIn(text)), 0)
  return LENGTHS.find((length) => length >= longest * 2) ?? MAX_TEXT
}
