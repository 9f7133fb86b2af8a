import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asciiLowerCase, isEmail, personEmail } from '../../src/lib/email.ts'

/** They look like ASCII, or become ASCII when their case is folded by the rules of Unicode. */
const confusable = {
  'KELVIN SIGN': 'mi\u212Ae@acme.example',
  'LONG S': '\u017Fue@acme.example',
  'DOTTED CAPITAL I': '\u0130da@acme.example',
  'DOTLESS I': '\u0131da@acme.example',
  'FULLWIDTH M': '\uFF4Dike@acme.example',
  'FULLWIDTH @': 'mike\uFF20acme.example',
  'CYRILLIC E': 'mik\u0435@acme.example',
  'a host with a KELVIN SIGN': 'mike@\u212Aiosk.example',
  'a host with an ideographic full stop': 'mike@acme\u3002example',
  'SOFT HYPHEN': 'mi\u00ADke@acme.example',
}
for (const [name, odd] of Object.entries(confusable))
  test(`an address with ${name} is not an email address`, () => {
    assert.equal(isEmail(odd), false)
    assert.equal(personEmail(odd), undefined)
  })

test('an address is the same person in any ASCII case, and has at most 254 characters', () => {
  assert.equal(personEmail('Mike.O+x@ACME.Example'), 'mike.o+x@acme.example')
  assert.equal(personEmail(`${'m'.repeat(241)}@acme.example`)?.length, 254)
  assert.equal(personEmail(`${'m'.repeat(242)}@acme.example`), undefined)
  for (const odd of [
    '',
    'mike',
    '@acme.example',
    'a@b@c.example',
    '"mike"@acme.example',
    'mike @acme.example',
    'mike@acme.example\n',
  ])
    assert.equal(personEmail(odd), undefined, JSON.stringify(odd))
})

test('only ASCII letters are folded', () => {
  assert.equal(asciiLowerCase('AZ\u212A\u0130\u017F\u00C4\uFF2B'), 'az\u212A\u0130\u017F\u00C4\uFF2B')
})
