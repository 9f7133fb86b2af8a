import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { destinationOf, redirectUriError } from '../../src/connections/redirect-uri.ts'

const accepted: [uri: string, kind: string, host: string][] = [
  ['https://claude.ai/api/mcp/auth_callback', 'web', 'claude.ai'],
  ['https://chatgpt.com/connector/oauth/OUbdUMlL15Ct?x=%2F', 'web', 'chatgpt.com'],
  ['https://xn--pple-43d.com/cb', 'web', 'xn--pple-43d.com'],
  ['https://203.0.113.7/cb', 'web', '203.0.113.7'],
  ['https://localhost:3000/cb', 'loopback', 'localhost'],
  ['http://localhost:3118/callback', 'loopback', 'localhost'],
  ['http://127.0.0.1:33418/', 'loopback', '127.0.0.1'],
  ['http://[::1]:8080/cb', 'loopback', '[::1]'],
  ['cursor://anysphere.cursor-mcp/oauth/callback', 'app', 'cursor:'],
  ['com.example.app:/oauth2redirect', 'app', 'com.example.app:'],
  ['claude.ai://callback', 'app', 'claude.ai:'],
]

test('a redirect URI names who gets the token', () => {
  for (const [uri, kind, host] of accepted) {
    assert.equal(redirectUriError(uri), undefined)
    assert.deepEqual(destinationOf(uri), { kind, host })
  }
})

const words = (text: string): unknown[] => text.split(/\s+/)

const refused: Record<string, unknown[]> = {
  'plain http elsewhere':
    words(`http://app.example/cb http://127.0.0.1.evil.example/ http://127.0.0.1%2eevil.example/ http://0.0.0.0/
    http://localhost.evil.example/ http://evil.localhost/ http://[::ffff:127.0.0.1]/ http://10.0.0.1/ http://128.0.0.1/ http://[::]/
    http://localhost./`),
  'a scheme that a browser handles': [
    ...words(`javascript:alert(1) javascript://x/%0aalert(1) JaVaScRiPt:/x data:text/html,x data:/x blob:/x file:///etc/passwd
      vbscript:/x about:/blank view-source://x filesystem:/x ws://x/ wss://x/ ftp://x/ intent://x/ chrome://settings
      chrome-extension://x/ moz-extension://x/ resource://x ms-msdt:/id search-ms:/query=x mailto:/x tel:/1 sms:/1
      web+app://x jar:/x about://x`),
  ],
  'a fragment': words('https://app.example/cb# https://app.example/cb#x cursor://x/#'),
  'user info': words(
    'https://user@app.example/ https://u:p@app.example/ https://@app.example/ cursor://u@x/ http://localhost:80@evil.example/',
  ),
  'a wildcard': words('https://*.example/cb https://app.example/* http://localhost:*/callback *'),
  'a backslash': words(String.raw`https:\\app.example https://app.example\@evil.example https:/\app.example/`),
  'a control character or a space': [
    ...['https://app.example/\n', ' https://app.example/', 'https://app.example/a b', 'java\tscript:/x'],
    ...['\u0000https://a.example/', 'https://app.example/\r\nSet-Cookie: x'],
  ],
  'a character beyond ASCII': [
    ...['https://аpple.com/', 'https://app.example/é', 'https://app\u3002example/', 'https://ａpp.example/'],
  ],
  'no host': words('https: https:/app.example https:app.example https:///app.example/ https://?x https:// http://:80/'),
  'no scheme': ['', ...words('/cb //app.example/cb app.example/cb c:/x urn:ietf:wg:oauth:2.0:oob myapp:callback')],
  'a bad port or escape': words('https://app.example:99999/ https://app.example:x/ https://app.example/%zz'),
  'no text': [undefined, null, 5, {}, ['https://app.example/'], `https://app.example/${'x'.repeat(500)}`],
}

for (const [what, uris] of Object.entries(refused))
  test(`a redirect URI with ${what} is refused`, () => {
    for (const uri of uris) assert.match(redirectUriError(uri) ?? 'accepted', /^must /, String(uri))
  })

const scheme = fc.oneof(
  fc.constantFrom(...'https http javascript data file vbscript cursor blob ftp com.example about'.split(' ')),
  fc.stringMatching(/^[a-zA-Z][a-z+.-]{0,8}$/),
)
const piece = fc.oneof(
  fc.constantFrom(...'localhost 127.0.0.1 [::1] evil.example @ : / // # ? % %2e %0a %00 * .. :80 < "'.split(' ')),
  fc.constantFrom('\\', '\t', '\n', ' ', '2130706433', '0x7f.1', 'xn--', 'а', '。', '\u202E'),
  fc.string({ maxLength: 3, unit: 'binary' }),
)
const uri = fc
  .tuple(
    fc.constantFrom('', '', '', ' ', '\t', '\u0000'),
    scheme,
    fc.constantFrom(':', '://', ':/', ':\\\\', '\t:'),
    fc.array(piece, { maxLength: 8 }),
  )
  .map(([start, name, separator, rest]) => `${start}${name}${separator}${rest.join('')}`)

test('no accepted redirect URI is dangerous to a URL parser or a browser', () => {
  const dangerous = /^(javascript|data|file|vbscript|blob|about|filesystem|ftp|view-source|wss?):$/
  let count = 0
  const isFound = (text: string) => {
    if (redirectUriError(text) !== undefined) return
    count++
    // A browser resolves a Location against the page's own URL, and parses it once more.
    for (const url of [
      new URL(text),
      new URL(text, 'https://vitrine.example/oauth/authorize'),
      new URL(new URL(text).href),
    ]) {
      assert.doesNotMatch(url.protocol, dangerous)
      assert.equal(`${url.username}${url.password}${url.hash}`, '')
      if (url.protocol === 'http:') assert.match(url.hostname, /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/)
      if (/^https?:$/.test(url.protocol)) assert.equal(url.hostname, destinationOf(text).host)
      assert.notEqual(url.hostname, 'vitrine.example')
      assert.equal(url.protocol, new URL(text).protocol)
    }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these split headers and pages
    assert.doesNotMatch(text, /[\x00-\x20\x7f-\uffff\\"<>*#]/)
  }
  fc.assert(fc.property(uri, isFound), { numRuns: 20_000 })
  assert.ok(count > 200, `only ${count} were accepted`)
})
