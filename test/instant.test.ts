import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toInstant } from '../src/instant.ts'

const readings: [text: string, instant: string | undefined][] = [
  ['2026-11-15T09:00:00Z', '2026-11-15T09:00:00.000Z'],
  ['2026-11-15t09:00:00z', '2026-11-15T09:00:00.000Z'],
  ['2026-11-15T09:00:00+02:00', '2026-11-15T07:00:00.000Z'],
  ['2026-11-15T00:30:00+01:00', '2026-11-14T23:30:00.000Z'],
  ['2026-11-15T09:00:00-00:30', '2026-11-15T09:30:00.000Z'],
  ['2026-11-15T09:00:00.5Z', '2026-11-15T09:00:00.500Z'],
  ['2026-11-15T09:00:00.123999Z', '2026-11-15T09:00:00.123Z'],
  ['0099-01-01T00:00:00Z', '0099-01-01T00:00:00.000Z'],
  ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ['2017-01-01T00:59:60+01:00', '2017-01-01T00:00:00.000Z'],
  ['2016-12-31T22:59:60Z', undefined],
  ['2026-02-29T00:00:00Z', undefined],
  ['2026-13-01T00:00:00Z', undefined],
  ['2026-11-31T00:00:00Z', undefined],
  ['2026-11-15T24:00:00Z', undefined],
  ['2026-11-15T09:60:00Z', undefined],
  ['2026-11-15T09:00:00', undefined],
  ['2026-11-15 09:00:00Z', undefined],
  ['2026-11-15', undefined],
  ['2026-11-15T09:00Z', undefined],
  ['2026-11-15T09:00:00+24:00', undefined],
  ['9999-12-31T23:59:59-01:00', undefined],
  ['0001-01-01T00:00:00+01:00', undefined],
  ['next Friday', undefined],
]

for (const [text, instant] of readings) {
  test(`${text} is ${instant ?? 'not an instant'}`, () => assert.equal(toInstant(text), instant))
}
