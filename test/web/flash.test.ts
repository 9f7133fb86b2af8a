import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser, createKeyOnPage, fieldOf, KEYS, openForm, startSignedIn } from '../support/person.ts'
import { startService } from '../support/service.ts'

const HOME = '/settings/workspaces/acme'

test('a notice appears once, on its own page only', async (t) => {
  const { browser } = await startSignedIn(t)
  const csrf = fieldOf(await browser.get(KEYS), 'csrf')
  const { headers } = await browser.post(`${KEYS}/search`, { csrf, q: `vtr_${'0'.repeat(49)}` })
  const notice = /No key in this workspace matches/
  const flash = browser.cookies.get('vitrine_flash') ?? ''
  assert.match((await browser.get(headers.location ?? '')).text, notice)
  assert.doesNotMatch((await browser.get(headers.location ?? '')).text, notice)
  browser.cookies.set('vitrine_flash', flash)
  assert.doesNotMatch((await browser.get(`${HOME}/members`)).text, notice)
})

test('a cookie cannot add markup to a page, and over https not even text unless this host has set it', async (t) => {
  const flash = Buffer.from('/settings/sign-in\nsign-in-mailed\n<b>you</b>').toString('base64url')
  const pageOf = async (publicUrl: string, cookie: string) => {
    const { url } = await startService(t, { env: { PUBLIC_URL: publicUrl } })
    return (await new Browser(url, [[cookie, flash]]).get('/settings/sign-in')).text
  }
  const shown = /If &#60;b&#62;you&#60;\/b&#62; belongs to a member/
  assert.match(await pageOf('http://vitrine.example', 'vitrine_flash'), shown)
  assert.match(await pageOf('https://vitrine.example', '__Host-vitrine_flash'), shown)
  assert.doesNotMatch(await pageOf('https://vitrine.example', 'vitrine_flash'), /belongs to a member/)
})

test('a form with errors leads back to its own page, which shows them once', async (t) => {
  const { browser } = await startSignedIn(t)
  const form = { ...(await openForm(browser, `${KEYS}/new`)), permissions: 'tasks:read', expiry: '30' }
  const refused = await browser.post(KEYS, { ...form, label: '', rateLimit: 'many' })
  assert.deepEqual([refused.status, refused.headers.location], [303, `${KEYS}/new`])
  const again = await browser.get(`${KEYS}/new`)
  assert.match(again.text, /The key was not created\..*Give the key a name.*value="many"/s)
  assert.doesNotMatch(again.text, /signed in again/)
  assert.doesNotMatch((await browser.get(`${KEYS}/new`)).text, /was not created|value="many"/)

  const long = await browser.post(KEYS, { ...form, label: 'x', networks: 'y'.repeat(4000) })
  assert.equal(long.status, 422, 'it does not fit into a cookie')
  const { token } = await createKeyOnPage(browser)
  const pasted = await browser.post(KEYS, { ...form, label: token })
  assert.equal(pasted.status, 422, 'a key is not put into a cookie, nor is its error lost')
  assert.match(pasted.text, /id="label-error"/)
  assert.equal(browser.cookies.has('vitrine_return'), false)
})
