// Run once: this is what a browser makes of the pages; test/web requests them on both.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { createKey, rowOf, signIn, useKey } from '../support/browser-steps.ts'
import { describeInBrowser, type WatchedPage } from '../support/chromium-suite.ts'
import { type Service, startService } from '../support/service.ts'

const KEYS = '/settings/workspaces/acme/keys'
const MINUTE = 60_000

/** What was noted off the request's path is written soon after; until then the page is asked again. */
async function eventually(page: WatchedPage, service: Service, place: () => Locator, wanted: RegExp) {
  for (let i = 0; i < 40; i++) {
    await page.goto(service.url + KEYS)
    if (wanted.test((await place().allInnerTexts()).join())) return
    await page.waitForTimeout(250)
  }
  assert.match(await place().innerText(), wanted)
}

/** The line about a key above the list. */
const attentionTo = (page: WatchedPage, label: string) => page.locator('.attention li').filter({ hasText: label })

describeInBrowser('the life cycle of a key', (browser) => {
  test('rotation: both keys work for the overlap, and the page tells that the old one is still used', async (t) => {
    const service = await startService(t)
    const { token: old } = await service.createKey({ label: 'Sync' })
    const page = await browser.open()
    await signIn(page, service)
    await rowOf(page, 'Sync').getByRole('link', { name: 'Rotate' }).click()
    assert.ok(await page.getByLabel('24 hours').isChecked())
    await page.getByRole('button', { name: 'Rotate key' }).click()
    const successor = await page.locator('#key').innerText()
    assert.match(await page.locator('.notice').innerText(), /The old key of “Sync” still works until/)
    assert.equal(await useKey(service, successor), 200)

    await page.getByRole('link', { name: 'Done, I have copied it' }).click()
    assert.match(await rowOf(page, 'Rotating').innerText(), /ends tomorrow/)
    assert.equal(await page.locator('.attention', { hasText: 'still being used' }).count(), 0)

    service.time.now += MINUTE
    assert.equal(await useKey(service, old), 200)
    await eventually(page, service, () => attentionTo(page, 'still'), /Sync.*The old key is still being used.*Finish/s)
  })

  test('revocation names the key and its last use; the next request is refused', async (t) => {
    const service = await startService(t)
    const { token } = await service.createKey({ label: 'Leaving' })
    const page = await browser.open()
    await signIn(page, service)
    assert.equal(await useKey(service, token), 200)
    await eventually(page, service, () => rowOf(page, 'Leaving').locator('[data-name="Last used"]'), /just now/)
    await rowOf(page, 'Leaving').getByRole('link', { name: 'Revoke' }).click()
    await page.getByRole('heading', { name: 'Revoke “Leaving”?' }).waitFor()
    assert.match(await page.locator('.facts-list').innerText(), /Last used\s+just now, 1 request in the last 14 days/)
    await page.getByRole('button', { name: 'Revoke key' }).click()
    assert.match(await page.locator('.notice').innerText(), /Leaving.*revoked/)
    assert.equal(await useKey(service, token), 401)
  })

  test('a key that came in a URL is refused, and the page says to rotate it', async (t) => {
    const service = await startService(t)
    const { token } = await service.createKey({ label: 'Careless' })
    const page = await browser.open()
    await signIn(page, service)
    assert.equal((await fetch(`${service.url}/tasks?key=${token}`)).status, 401)
    await eventually(page, service, () => attentionTo(page, 'Careless').first(), /Seen in a URL on .*Rotate/s)
  })

  test('a key that came with a browser’s Origin says so too', async (t) => {
    const service = await startService(t)
    const { token } = await service.createKey({ label: 'In a page' })
    const page = await browser.open()
    await signIn(page, service)
    await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, origin: 'https://shop.example', 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    })
    await eventually(page, service, () => attentionTo(page, 'In a page').first(), /Seen in a browser on .*Rotate/s)
  })

  test('the search finds labels, whatever their case, and a hostile one stays text', async (t) => {
    const service = await startService(t)
    const label = '<script>document.title="owned"</script> "נ"'
    await service.createKey({ label })
    const page = await browser.open()
    await signIn(page, service)
    await page.getByLabel('Search by label').fill('SCRIPT')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Show all' }).waitFor()
    assert.equal(await page.locator('.keys tbody').count(), 1)
    assert.equal(await page.locator('.keys .label').innerText(), label)
    assert.doesNotMatch(await page.title(), /owned/)
    assert.deepEqual(page.complaints, [])
  })

  test('the audit tells who did what, filtered by key, and is exported', async (t) => {
    const service = await startService(t)
    const page = await browser.open()
    await signIn(page, service)
    await createKey(page, 'Audited')
    await page.getByRole('link', { name: 'Done, I have copied it' }).click()
    const id = await rowOf(page, 'Audited').getAttribute('id')
    await page.goto(`${service.url}/settings/workspaces/acme/audit?key=${id}`)
    const rows = page.locator('.audit tbody tr')
    assert.equal(await rows.count(), 1)
    assert.match(await rows.innerText(), /Created the key\s+Audited\s+owner@acme.example/)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ])
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    assert.equal(lines.length, 2)
    assert.match(lines[1] ?? '', /,owner@acme\.example,key\.created,key_\w+,/)
  })
})
