import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIn, useKey } from '../browser/steps.ts'
import { describeInBrowser } from '../support/chromium-suite.ts'
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
