import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from '../../src/web/html.ts'

test('a part is escaped, between tags and in a quoted attribute', () => {
  const hostile = `"><script>alert('1')</script>&\``
  assert.equal(
    html`<p title="${hostile}">${hostile}</p>`.text,
    '<p title="&#34;&#62;&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;&#38;&#96;">&#34;&#62;&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;&#38;&#96;</p>',
  )
})

test('existing HTML is left unchanged, at any depth', () => {
  assert.equal(
    html`<ul>${['a', 'b<'].map((item) => html`<li>${item}</li>`)}</ul>`.text,
    '<ul><li>a</li><li>b&#60;</li></ul>',
  )
})

test('a string that looks like HTML is not trusted', () => {
  const forged = { text: '<b>' } as unknown as string
  assert.throws(() => html`${forged}`.text)
})
