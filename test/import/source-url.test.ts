import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSourceUrl, shownUrl } from '../../src/import/sources.ts'

test('a location with http or https is a URL, and one without a scheme is a file', () => {
  assert.equal(parseSourceUrl('https://a.example/x?y=1')?.href, 'https://a.example/x?y=1')
  assert.equal(parseSourceUrl('HTTP://a.example')?.href, 'http://a.example/')
  for (const file of ['tasks.json', '-', './http', 'C:\\tasks.csv', 'a:b', '/tmp/a b'])
    assert.equal(parseSourceUrl(file), undefined, file)
})

test('an unusable URL is rejected without being repeated', () => {
  for (const [location, problem] of [
    ['ftp://u:hush@a.example/x', /^cannot fetch ftp:\/\/ URLs, only http/],
    ['file:///etc/hush', /^cannot fetch file:\/\/ URLs/],
    ['https://[hush', /^is not a URL: it should look like https:\/\/example\.com/],
    ['https://u:hush@a.example/', /^the URL must not contain a user name or password, .* SYNC_TOKEN_FILE/],
    ['https://hush@a.example/', /user name or password/],
  ] as const)
    assert.throws(
      () => parseSourceUrl(location),
      (error: Error) => {
        assert.match(error.message, problem)
        assert.doesNotMatch(error.message, /hush/)
        return error.name === 'InvalidValueError'
      },
    )
})

test('a URL is shown without a query, a fragment or anything like a key, and truncated', () => {
  assert.equal(shownUrl(new URL('https://a.example:8443/x/y.csv?token=hush#hush')), 'https://a.example:8443/x/y.csv')
  assert.equal(shownUrl(new URL(`https://a.example/${'aB3'.repeat(20)}/x`)), 'https://a.example/[redacted]/x')
  assert.equal(shownUrl(new URL(`https://a.example/${'a/'.repeat(1000)}`)).length, 500)
})
