import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptedCoding, acceptsHtml } from '../../src/lib/http-headers.ts'

test('the content coding is the best that the client accepts', () => {
  const cases: [header: string | undefined, coding: string | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['GZip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0, gzip;q=0.2', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip; q=0.000', undefined],
    ['gzip;q=nonsense', undefined],
    ['gzip;q=2', undefined],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['*;q=0, gzip', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['identity', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip', 'gzip'],
    ['identity, gzip', 'gzip'],
    ['deflate, compress', undefined],
    ['gzipped', undefined],
    [' ,, gzip ;x=1;q=0.5 ', 'gzip'],
  ]
  for (const [header, coding] of cases) assert.equal(acceptedCoding(header, ['br', 'gzip']), coding, header)
})

test('only a client that asks for HTML is a browser', () => {
  for (const accept of ['text/html', 'application/xml, text/html;q=0.9', 'TEXT/HTML', 'text/html;level=1'])
    assert.ok(acceptsHtml(accept), accept)
  for (const accept of [undefined, '', '*/*', 'text/*', 'application/json', 'text/html;q=0', 'text/htmlx'])
    assert.ok(!acceptsHtml(accept), accept)
})
