import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIn, useKey } from '../browser/steps.ts'
import { describeInBrowser } from '../support/chromium-suite.ts'
import { describeSamples } from '../support/sample-suite.ts'
import { startService } from '../support/service.ts'

const KEYS = '/settings/workspaces/acme/keys'

describeInBrowser('a key’s page, as people use it', (browser) => {
  test('everything also works without JavaScript', async (t) => {
    const service = await startService(t)
    const { token, id } = await service.createKey({ label: 'Sync' })
    const page = await browser.open({ javaScriptEnabled: false })
    await signIn(page, service)
    await page.goto(`${service.url}${KEYS}/${id}/edit`)
    await page.getByLabel('On a date').check()
    await page.getByLabel('Last day').fill('2020-01-01')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('link', { name: 'Choose today or a later date' }).click()
    await page.getByLabel('Last day').fill('2026-12-31')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('31 Dec 2026').waitFor()
    await page.getByRole('link', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Pause key' }).click()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    assert.equal(await useKey(service, token), 401)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('link', { name: 'Pause' }).waitFor()
    assert.equal(await useKey(service, token), 200)
  })
})

describeSamples('a key’s page fits and is readable', (test) => {
  test("the chart's table opens by keyboard, and stays a table on a phone", async (page, url) => {
    await page.setViewportSize({ width: 390, height: 800 })
    await page.goto(`${url}/key-busy`)
    const summary = page.getByText('Show as a table')
    await summary.focus()
    await page.keyboard.press('Enter')
    const rows = page.getByRole('table', { name: 'Requests by outcome' }).getByRole('row')
    assert.equal(await rows.count(), 31)
    assert.match(await rows.nth(1).innerText(), /15 Nov 2026\s+900\s+120 \(120 over its limit\)/)
  })

  test('in forced colours served and refused requests are visible on the page', async (page, url) => {
    await page.emulateMedia({ forcedColors: 'active' })
    await page.goto(`${url}/key-busy`)
    const styleOf = (selector: string, property: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${property}`)
    const background = await styleOf('body', 'backgroundColor')
    assert.notEqual(await styleOf('.served', 'fill'), background)
    for (const part of ['.refused', '.hatch']) assert.notEqual(await styleOf(part, 'stroke'), background, part)
    await page.emulateMedia({ forcedColors: 'none' })
  })
})
