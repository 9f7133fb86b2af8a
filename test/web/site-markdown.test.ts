import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkdown } from '../../src/web/site/markdown.ts'

const render = (source: string) => renderMarkdown('docs/rest.md', source).body.text

test('raw HTML in Markdown is shown as text, wherever it is; comments are left out', () => {
  for (const source of [
    '<script>alert(1)</script>',
    'a <b onclick="x">word</b>',
    '<img src=x onerror=alert(1)>',
    '| a |\n|---|\n| <i>x</i> |',
    '# A <u>title</u>',
    '[a <s>link</s>](settings.md)',
    '`<code>`',
    '```html\n<pre>\n```',
    '![<alt>](images/key-created.png)',
    '<!-- x --> <script>',
  ])
    assert.doesNotMatch(
      render(source),
      /<(script|b|i|u|s|img src=x|alt|code><code)[ >]|onclick="|onerror=alert\(1\)>/,
      source,
    )
  assert.equal(render('<!-- Generated. -->\n\nText.').trim(), '<p>Text.</p>')
})

test("links lead to the instance's own pages, to other sites, or become text", () => {
  const cases: [link: string, address: string | undefined][] = [
    ['settings.md', '/docs/settings'],
    ['settings.md#sources', '/docs/settings#sources'],
    ['#quota', '#quota'],
    ['problems/README.md', '/problems'],
    ['problems/forbidden.md', '/problems/forbidden'],
    ['sql/roles.sql', '/docs/sql/roles.sql'],
    ['../SECURITY.md', '/docs/files/SECURITY'],
    ['../LICENSE', '/docs/files/LICENSE'],
    ['decisions/0016-signing-in.md', '/docs/decisions/0016-signing-in'],
    ['https://example.org/a', 'https://example.org/a'],
    ['../src/config.ts', undefined],
    ['nothing.md', undefined],
    ['../../etc/passwd', undefined],
    ['/settings', undefined],
    ['javascript:alert(1)', undefined],
    ['JAVASCRIPT:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['//evil.example', undefined],
  ]
  for (const [link, address] of cases) {
    const expected = address === undefined ? '<p>here</p>' : `<p><a href="${address}">here</a></p>`
    assert.equal(render(`[here](<${link}>)`).trim(), expected, link)
  }
})
