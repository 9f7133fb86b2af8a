import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DayBound, dateFormatFault, dateParser, instantOf } from '../../../src/import/map/dates.ts'
import { Zone } from '../../../src/lib/zone.ts'

const london = new Zone('Europe/London')

function read(format: string, text: string, { zone = london, bound = 'end' as DayBound, isDay = false } = {}) {
  assert.equal(dateFormatFault(format), undefined)
  const time = dateParser(format)(text)
  return time && instantOf(time, zone, bound, isDay)
}

const readings: [format: string, text: string, instant: string | undefined][] = [
  ['iso', '2026-07-20', '2026-07-20T22:59:59.000Z'],
  ['iso', '2026-07-20T09:30', '2026-07-20T08:30:00.000Z'],
  ['iso', '2026-07-20 09:30:15', '2026-07-20T08:30:15.000Z'],
  ['iso', '2026-07-20T09:30:15.123456Z', '2026-07-20T09:30:15.123Z'],
  ['iso', '2026-07-20T09:30:15,5+02', '2026-07-20T07:30:15.500Z'],
  ['iso', '2026-07-20T09:30:15+0200', '2026-07-20T07:30:15.000Z'],
  ['iso', '2026-07-20 09:30:15 -05:30', '2026-07-20T15:00:15.000Z'],
  ['iso', '2026-07-20 09:30:15 UTC', '2026-07-20T09:30:15.000Z'],
  ['iso', '2026-02-29', undefined],
  ['iso', '2024-02-29', '2024-02-29T23:59:59.000Z'],
  ['iso', '2026-13-01', undefined],
  ['iso', '2026-07-20T24:00', undefined],
  ['iso', '2026-07-20T09:60', undefined],
  ['iso', '2026-07-20T09:30+2', undefined],
  ['iso', '2026-07-20T09:30+25:00', undefined],
  ['iso', '0000-01-01', undefined],
  ['iso', '0001-01-01T00:00:00+01:00', undefined],
  ['iso', '9999-12-31T23:59:59-01:00', undefined],
  ['iso', '20/07/2026', undefined],
  ['iso', 'tomorrow', undefined],
  ['dd/MM/yyyy', '20/07/2026', '2026-07-20T22:59:59.000Z'],
  ['dd/MM/yyyy', '2/7/2026', '2026-07-02T22:59:59.000Z'],
  ['dd/MM/yyyy', '07/20/2026', undefined],
  ['MM/dd/yyyy', '07/20/2026', '2026-07-20T22:59:59.000Z'],
  ['dd/MMM/yy h:mm a', '20/Nov/26 12:00 AM', '2026-11-20T00:00:00.000Z'],
  ['dd/MMM/yy h:mm a', '20/nov/26 12:05 pm', '2026-11-20T12:05:00.000Z'],
  ['dd/MMM/yy h:mm a', '03/Sep/26 9:05\u202fAM', '2026-09-03T08:05:00.000Z'],
  ['dd/MMM/yy h:mm a', '03/Sep/26 13:05 AM', undefined],
  ['dd/MMM/yy h:mm a', '03/Sep/26 9:05 AM and more', undefined],
  ['MMM d, yyyy', 'Nov 2, 2026', '2026-11-02T23:59:59.000Z'],
  ['MMMM d, yyyy', 'november 20, 2026', '2026-11-20T23:59:59.000Z'],
  ['yyyyMMdd', '20261120', '2026-11-20T23:59:59.000Z'],
  ["EEE MMM dd yyyy HH:mm:ss 'GMT'Z*", 'Wed May 13 2026 11:21:41 GMT+0000 (GMT+00:00)', '2026-05-13T11:21:41.000Z'],
  ["EEE MMM dd yyyy HH:mm:ss 'GMT'Z*", 'Wed May 13 2026 11:21:41 GMT+0200', '2026-05-13T09:21:41.000Z'],
  ['unix-ms', '1795132800000', '2026-11-20T00:00:00.000Z'],
  ['unix-ms', '99999999999999999', undefined],
  ['unix-ms', '1e9', undefined],
]

for (const [format, text, instant] of readings)
  test(`${text} in the format ${format} is ${instant ?? 'refused'}`, () => assert.equal(read(format, text), instant))

test('a time that stands for a day means the end of that day: as written at midnight, otherwise in the zone', () => {
  const isDay = true
  assert.equal(read('iso', '2026-06-26T00:00:00', { isDay }), '2026-06-26T22:59:59.000Z')
  assert.equal(read('iso', '2026-06-26T00:00:00Z', { isDay }), '2026-06-26T22:59:59.000Z')
  assert.equal(read('iso', '2026-06-25T23:00:00Z', { isDay }), '2026-06-26T22:59:59.000Z')
  const zone = new Zone('America/New_York')
  assert.equal(read('iso', '2026-06-26T00:00:00Z', { isDay, zone }), '2026-06-27T03:59:59.000Z')
  assert.equal(read('iso', '2026-06-26T03:00:00Z', { isDay, zone }), '2026-06-26T03:59:59.000Z')
})

test('a creation date means the beginning of its day', () =>
  assert.equal(read('iso', '2026-07-20', { bound: 'start' }), '2026-07-19T23:00:00.000Z'))

const faults: [format: string, fault: RegExp][] = [
  ['yyyy-mm-dd', /must have a year, a month and a day/],
  ['DD/MM/yyyy', /contains the unknown token DD/],
  ['dd/MM/yyyy h:mm', /both h and a, or H/],
  ['dd/MM/yyyy mm', /must have hours/],
  ['ISO', /contains the unknown token I/],
  ['dd/MM/yyyy(at)HH', /contains the unknown token t|contains the unknown token a/],
  ['', /must have a year/],
]

for (const [format, fault] of faults)
  test(`the format '${format}' is refused`, () => assert.match(dateFormatFault(format) ?? '', fault))

const inLanguages: [locale: string, format: string, text: string, month: number | undefined][] = [
  ['pt-BR', 'dd/MMM/yy', '02/Dez/26', 12],
  ['pt-BR', 'dd/MMM/yy', '02/dez./26', 12],
  ['pt-BR', "d 'de' MMMM 'de' yyyy", '2 de março de 2026', 3],
  ['de', 'dd/MMM/yy', '02/Mär/26', 3],
  ['de', 'dd/MMM/yy', '02/März/26', 3],
  ['fr', 'dd/MMM/yy', '02/juil./26', 7],
  ['fr', 'dd/MMM/yy', '02/jui/26', undefined],
  ['pl', 'd MMMM yyyy', '2 grudnia 2026', 12],
  ['pl', 'd MMMM yyyy', '2 grudzień 2026', 12],
  ['ja', 'yyyy年MMMd日', '2026年12月2日', 12],
  ['pt-BR', 'dd/MMM/yy', '02/Dec/26', undefined],
  ['en', 'dd/MMM/yy', '02/Dez/26', undefined],
]
for (const [locale, format, text, month] of inLanguages)
  test(`${format} reads ${text} in ${locale} as ${month === undefined ? 'nothing' : `month ${month}`}`, () => {
    assert.equal(dateParser(format, locale)(text)?.month, month)
  })

test('every month is read back in the languages of many trackers, long and short', () => {
  for (const locale of ['en', 'de', 'es', 'fr', 'it', 'nl', 'pt', 'pl', 'ru', 'tr', 'cs', 'sv', 'ja'])
    for (const style of ['long', 'short'] as const) {
      const { format } = new Intl.DateTimeFormat(locale, { month: style, timeZone: 'UTC' })
      const parse = dateParser(style === 'long' ? 'd MMMM yyyy' : 'd MMM yyyy', locale)
      for (let month = 1; month <= 12; month++) {
        const text = format(Date.UTC(2026, month - 1))
        assert.equal(parse(`2 ${text} 2026`)?.month, month, `${locale} ${text}`)
      }
    }
})
