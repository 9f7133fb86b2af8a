import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consentPage } from '../../../src/web/connect/consent-page.ts'
import { authorizePath, openConsent, registered, startConnectable } from '../../support/consent.ts'
import { signedIn, startSignedIn, wordsOf } from '../../support/person.ts'
import { consentModel } from '../../support/sample-consent.ts'

test('a program that registered itself as “ChatGPT” is shown as a claim, with the host that gets access in bold', () => {
  const page = consentPage({
    ...consentModel,
    program: { name: 'ChatGPT', documentHost: null, kind: 'web', host: 'evil.example', isListed: false },
  })
  assert.match(wordsOf(page), /It calls itself “ ChatGPT ” Unchecked: it registered itself, and can use any name/)
  assert.match(page, /<strong><bdi>evil\.<wbr>example<\/bdi><\/strong>/)
  assert.match(wordsOf(page), /Vitrine does not know this program.* trust evil\.example with what you allow/)
})

test('a website causes a warning, even if it describes the program itself, unless the operator has listed it', async (t) => {
  const program = { name: 'ChatGPT', documentHost: 'evil.example', kind: 'web', host: 'evil.example' } as const
  const page = wordsOf(consentPage({ ...consentModel, program: { ...program, isListed: false } }))
  assert.match(page, /evil\.example says so.*Vitrine does not know this program.* trust evil\.example/)
  const listed = consentPage({ ...consentModel, program: { ...program, isListed: true } })
  assert.doesNotMatch(listed, /notice warn/)
  assert.match(listed, /notice neutral.*Connect only if you have just started this yourself\./)
  for (const [env, isWarned] of [
    [{}, true],
    [{ CONNECT_CLIENTS: 'client.example' }, false],
  ] as const) {
    const service = await startConnectable(t, { env })
    const { text } = await (await signedIn(service)).get(authorizePath())
    assert.match(text, /Connect a program to Vitrine\?/)
    assert.equal(text.includes('Vitrine does not know this program'), isWarned)
  }
})

test('a program on the person’s device causes a warning, whoever describes it', () => {
  const program = { name: 'Claude', documentHost: 'claude.ai', isListed: true }
  for (const [kind, host] of [
    ['loopback', '127.0.0.1'],
    ['app', 'cursor:'],
  ] as const) {
    const local = consentPage({ ...consentModel, program: { ...program, kind, host } })
    assert.match(local, /notice warn/)
    assert.match(wordsOf(local), /Any program on this device can ask like this, under any name/)
    assert.ok(local.replaceAll('<wbr>', '').includes(`<strong><bdi>${host}</bdi></strong>`))
  }
})

const hostile: Record<string, string> = {
  html: '</title><script>evil()</script><img src=x onerror=evil()>',
  attribute: '" autofocus onfocus="evil()',
  bidi: 'Safe\u202e gpj.exe\u202c \u2066x\u2069',
  invisible: 'Chat\u200bGPT\u00ad\u{e0041}',
  long: 'x'.repeat(10_000),
  words: 'ChatGPT, which Vitrine has verified. '.repeat(300),
  lines: 'ChatGPT\r\n\r\nVerified: yes\u2028\u0000',
  key: `vtr_${'aB3'.repeat(16)}c`,
  empty: ' \u200b ',
}

test('no name can break out of the page, hide, reverse, or fill the screen, and each becomes a valid label', async (t) => {
  const { browser } = await startSignedIn(t, startConnectable)
  for (const [what, name] of Object.entries(hostile)) {
    const client = registered(name)
    assert.ok(client.name.length <= 100, what)
    const { page, send } = await openConsent(browser, authorizePath({ client_id: client.id }))
    assert.equal(page.status, 200, what)
    assert.doesNotMatch(
      page.text,
      /<script>evil|<img src=x|" autofocus|[\u200b\u202a-\u202e\u2066-\u2069\u00ad\u2028\0]/u,
      what,
    )
    assert.doesNotMatch(page.text, /aB3aB3/)
    assert.equal((await send()).status, 303, what)
  }
})
