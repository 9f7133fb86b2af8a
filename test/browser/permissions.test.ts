import assert from 'node:assert/strict'
import type { WatchedPage } from '../support/chromium-suite.ts'
import { describeSamples } from '../support/sample-suite.ts'

const chosenIn = (page: WatchedPage) =>
  page.evaluate<string[]>('[...document.querySelectorAll("[name=permissions]:checked")].map(({ value }) => value)')

describeSamples('a key form with 22 permissions', (test) => {
  test('is filtered by name, description and field; hidden permissions stay chosen', async (page, url) => {
    await page.goto(`${url}/create-declared`)
    const shown = page.locator('[data-item]:visible')
    const status = page.locator('[data-finder] [role=status]')
    const finder = page.getByRole('searchbox', { name: 'Filter permissions' })
    await finder.fill('ORDERS')
    await page.getByRole('checkbox', { name: 'List orders orders:read' }).check()
    assert.equal(await status.innerText(), '1 shown, 3 of 22 chosen')
    await finder.fill('assignee email')
    assert.match(await shown.innerText(), /^List current tasks/)
    await finder.fill('nothing of the kind')
    assert.equal(await status.innerText(), 'No match, 3 of 22 chosen')
    await finder.press('Enter')
    assert.match(page.url(), /create-declared$/, 'Enter does not send the form')
    await finder.fill('')
    assert.equal(await shown.count(), 22)
    assert.deepEqual(await chosenIn(page), ['workspace:read', 'tasks:read', 'orders:read'])
  })

  test('has buttons that choose all or none of a group’s visible permissions, also by keyboard', async (page, url) => {
    await page.goto(`${url}/create-declared`)
    const all = page.getByRole('button', { name: 'Select all Added by the operator of this service' })
    await all.press('Enter')
    assert.equal((await chosenIn(page)).length, 22)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    assert.deepEqual(await chosenIn(page), ['workspace:read', 'tasks:read'])
    await page.getByRole('searchbox', { name: 'Filter permissions' }).fill('suppliers')
    await all.click()
    assert.ok((await chosenIn(page)).includes('suppliers:read'))
    assert.ok(!(await chosenIn(page)).includes('shipments:read'), 'hidden ones are left alone')
    assert.match(page.url(), /create-declared$/, 'the form is not sent')
  })
})
