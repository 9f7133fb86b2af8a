import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { describeInBrowser, sidewaysScroll, type WatchedPage } from '../support/chromium-suite.ts'
import { type SampleServer, startSampleServer } from '../support/sample-server.ts'

describeInBrowser('a key form with 22 permissions', (browser) => {
  let samples: SampleServer
  before(async () => {
    samples = await startSampleServer()
  })
  after(() => samples.close())

  const chosenIn = (page: WatchedPage) =>
    page.evaluate<string[]>('[...document.querySelectorAll("[name=permissions]:checked")].map(({ value }) => value)')
  const shown = (page: WatchedPage) => page.locator('[data-item]:visible')
  const status = (page: WatchedPage) => page.locator('[data-finder] [role=status]')

  test('is filtered by name, description and field; hidden permissions stay chosen', async () => {
    const page = await browser.open()
    await page.goto(`${samples.url}/create-declared`)
    assert.equal(await status(page).innerText(), '2 of 22 chosen')
    const finder = page.getByRole('searchbox', { name: 'Filter permissions' })
    await finder.fill('not CLOSED')
    assert.equal(await shown(page).count(), 1)
    assert.equal(await status(page).innerText(), '1 shown, 2 of 22 chosen')
    await page.getByRole('checkbox', { name: 'List orders orders:read' }).check()
    assert.equal(await status(page).innerText(), '1 shown, 3 of 22 chosen')
    await finder.fill('assignee email')
    assert.match(await shown(page).innerText(), /^List current tasks/)
    assert.ok(!(await page.getByText('Added by the operator').isVisible()), 'a group without a match is hidden')
    await finder.fill('nothing of the kind')
    assert.equal(await status(page).innerText(), 'No match, 3 of 22 chosen')
    await finder.press('Enter')
    assert.match(page.url(), /create-declared$/, 'Enter does not send the form')
    await finder.fill('')
    assert.equal(await shown(page).count(), 22)
    assert.deepEqual(await chosenIn(page), ['workspace:read', 'tasks:read', 'orders:read'])
    assert.deepEqual(page.complaints, [])
  })

  test('the buttons of a group choose all or none of its visible permissions, also by keyboard', async () => {
    const page = await browser.open({ colorScheme: 'dark', viewport: { width: 320, height: 640 } })
    await page.goto(`${samples.url}/create-declared`)
    const all = page.getByRole('button', { name: 'Select all Added by the operator of this service' })
    await all.focus()
    await page.keyboard.press('Enter')
    assert.equal((await chosenIn(page)).length, 22)
    assert.match(page.url(), /create-declared$/, 'the form is not sent')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    assert.deepEqual(await chosenIn(page), ['workspace:read', 'tasks:read'])
    await page.getByRole('button', { name: 'Select none Built in' }).click()
    await page.getByRole('searchbox', { name: 'Filter permissions' }).fill('suppliers')
    await all.click()
    assert.deepEqual(await chosenIn(page), ['invoices:read', 'suppliers:read', 'contacts:read', 'certificates:read'])
    assert.equal(await sidewaysScroll(page), 0)
    assert.deepEqual(page.complaints, [])
  })

  test('a key’s page is filtered too', async () => {
    const page = await browser.open()
    await page.goto(`${samples.url}/key-declared`)
    await page.getByRole('searchbox', { name: 'Filter permissions' }).fill('shipment warehouses')
    assert.equal(await status(page).innerText(), 'No match')
    await page.getByRole('searchbox', { name: 'Filter permissions' }).fill('warehouses')
    assert.equal(await status(page).innerText(), '1 shown')
    assert.equal(await page.getByRole('button', { name: 'Select all' }).count(), 0)
  })

  test('a short list has neither groups nor a filter', async () => {
    const page = await browser.open()
    await page.goto(`${samples.url}/create`)
    assert.equal(await page.locator('[data-finder], [data-group]').count(), 0)
    assert.equal(await page.getByRole('checkbox').count(), 2)
  })

  test('without JavaScript, every box can be ticked, and no useless control is shown', async () => {
    const page = await browser.open({ javaScriptEnabled: false })
    await page.goto(`${samples.url}/create-declared`)
    assert.equal(await page.locator('[name=permissions]:visible').count(), 22)
    assert.equal(await page.locator('[type=search]:visible, [data-choose]:visible').count(), 0)
    await page.getByRole('checkbox', { name: 'List certificates certificates:read' }).check()
    await page.getByText('4 fields of each certificate').click()
    assert.ok(await page.getByText('What the certificate is called.').isVisible())
  })
})
