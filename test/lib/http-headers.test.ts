import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptsGzip, acceptsHtml } from '../../src/lib/http-headers.ts'

test('gzip is for clients that list it, and not with a quality of 0', () => {
  for (const accepted of ['gzip', 'GZip', 'gzip, deflate, br, zstd', 'br;q=1, gzip;q=0.2', ' ,, gzip ;x=1;q=0.5 '])
    assert.ok(acceptsGzip(accepted), accepted)
  for (const header of [undefined, '', '*', 'br', 'gzipped', 'gzip;q=0', 'gzip; q=0.000', '*, gzip;q=0'])
    assert.ok(!acceptsGzip(header), header)
})

test('only a client that asks for HTML is a browser', () => {
  for (const accept of ['text/html', 'application/xml, text/html;q=0.9', 'TEXT/HTML', 'text/html;level=1'])
    assert.ok(acceptsHtml(accept), accept)
  for (const accept of [undefined, '', '*/*', 'text/*', 'application/json', 'text/html;q=0', 'text/htmlx'])
    assert.ok(!acceptsHtml(accept), accept)
})
