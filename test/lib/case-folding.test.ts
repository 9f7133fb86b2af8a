import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { bearerToken } from '../../src/keys/admission.ts'
import { asciiLowerCase, isEmail, personEmail } from '../../src/lib/email.ts'
import { addMember, checkedEmail, listMembers, removeMember } from '../../src/members/members.ts'
import { createWorkspace } from '../../src/resources/workspace/workspaces.ts'
import { freshDatabaseUrl } from '../support/database.ts'
import { startOperator } from '../support/operator.ts'

/** Look like ASCII, or become ASCII when their case is folded by the rules of Unicode. */
const CONFUSABLES = {
  'KELVIN SIGN': ['mi\u212Ae@acme.example', 'mike@acme.example'],
  'LONG S': ['\u017Fue@acme.example', 'sue@acme.example'],
  'DOTTED CAPITAL I': ['\u0130da@acme.example', 'ida@acme.example'],
  'DOTLESS I': ['\u0131da@acme.example', 'ida@acme.example'],
  'FULLWIDTH M': ['\uFF4Dike@acme.example', 'mike@acme.example'],
  'FULLWIDTH @': ['mike\uFF20acme.example', 'mike@acme.example'],
  'CYRILLIC E': ['mik\u0435@acme.example', 'mike@acme.example'],
  'a host with a KELVIN SIGN': ['mike@\u212Aiosk.example', 'mike@kiosk.example'],
  'a host with an ideographic full stop': ['mike@acme\u3002example', 'mike@acme.example'],
  'SOFT HYPHEN': ['mi\u00ADke@acme.example', 'mike@acme.example'],
} as const
const AT = '2026-11-15T12:00:00.000Z'

for (const [name, [odd]] of Object.entries(CONFUSABLES))
  test(`an address with ${name} is nobody's`, () => {
    assert.equal(isEmail(odd), false)
    assert.equal(personEmail(odd), undefined)
    assert.throws(() => checkedEmail(odd), {
      name: 'InvalidValueError',
      message: /is not an email address in plain ASCII/,
    })
  })

test('an address is one person in whatever case of ASCII, and at most 254 characters', () => {
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

test('nobody is added or removed under a confusable of their address', async (t) => {
  const { store } = await startOperator(t, await freshDatabaseUrl(t))
  for (const [odd, plain] of Object.values(CONFUSABLES)) {
    await addMember(store, 'acme', { email: plain, role: 'owner' }, 'test', AT)
    assert.throws(() => addMember(store, 'acme', { email: odd, role: 'member' }, 'test', AT), {
      name: 'InvalidValueError',
    })
    await assert.rejects(removeMember(store, 'acme', odd, 'test', AT), { name: 'InvalidValueError' })
    assert.deepEqual(
      (await listMembers(store, 'acme')).map(({ email }) => email),
      [plain],
    )
    await removeMember(store, 'acme', plain.toUpperCase(), 'test', AT)
  }
})

test('only ASCII letters are folded', () => {
  assert.equal(asciiLowerCase('AZ\u212A\u0130\u017F\u00C4\uFF2B'), 'az\u212A\u0130\u017F\u00C4\uFF2B')
})

test('settings take no confusable for the plain name', () => {
  const read = (name: string, value: string) => () => readConfig({ [name]: value })
  assert.throws(read('ALLOWED_ORIGINS', 'https://\u212Aiosk.example'), /ALLOWED_ORIGINS/)
  assert.throws(read('LOG_LEVEL', '\u0131nfo'), /LOG_LEVEL/)
  assert.throws(read('LOG_LEVEL', 'INFO'), /LOG_LEVEL/)
  assert.throws(read('TRUST_PROXY', '\uFF11'), /TRUST_PROXY/)
  assert.throws(read('RATE_LIMIT', '\uFF16\uFF10;w=60'), /RATE_LIMIT/)
})

test('a workspace takes no confusable for a slug, timezone, currency or country', async (t) => {
  const { store } = await startOperator(t, await freshDatabaseUrl(t))
  const plain = { name: 'A', slug: 'a' }
  for (const odd of [
    { slug: '\u212Aiosk' },
    { slug: 'Kiosk' },
    { timezone: 'Asia/Bang\u212Aok' },
    { timezone: 'A\u017Fia/Tokyo' },
    { currency: 'S\u0415K' },
    { currency: '\u017Fek' },
    { country: '\uFF27B' },
    { country: 'gb' },
  ])
    assert.throws(
      () => createWorkspace(store, { ...plain, ...odd }, 'test', AT),
      { name: 'InvalidValueError' },
      JSON.stringify(odd),
    )
})

test('the scheme is Bearer in any case of ASCII, and nothing that looks like it', () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) assert.equal(bearerToken(`${scheme} x`), 'x')
  for (const scheme of ['\u0412earer', 'Bea\uFF52er', 'Bearer\u00A0'])
    assert.equal(bearerToken(`${scheme} x`), undefined)
})
