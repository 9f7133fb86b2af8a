import assert from 'node:assert/strict'
import type { WatchedPage } from '../support/chromium-suite.ts'
import { TOKEN } from '../support/sample-models.ts'
import type { SampleServer } from '../support/sample-server.ts'
import { describeSamples } from '../support/sample-suite.ts'
import { stopClock } from './stopped-clock.ts'

const CLIPBOARD = ['clipboard-read', 'clipboard-write']
const AT = '2026-11-15T12:00:00.000Z'

describeSamples('a new key’s page', (test, browser) => {
  test('has the key selected, and copies it and each snippet', async (_, url) => {
    const page = await browser.open({ permissions: CLIPBOARD })
    await page.goto(`${url}/created`)
    await stopClock(page)
    const field = page.getByRole('textbox', { name: 'Copy it now' })
    assert.ok(await field.evaluate((element) => element === element.ownerDocument.activeElement))
    assert.equal(await page.evaluate('getSelection().toString()'), TOKEN)

    const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()')
    await page.getByRole('button', { name: 'Copy key' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await clipboard(), TOKEN)
    await page.getByRole('tab', { name: 'curl' }).click()
    await page.getByRole('tabpanel').getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('tabpanel').getByRole('button', { name: 'Copied' }).waitFor()
    assert.match(await clipboard(), new RegExp(`^curl https://.*Bearer ${TOKEN}"$`, 's'))
    await page.clock.runFor(2500)
    await page.getByRole('button', { name: 'Copy key' }).waitFor()
  })

  test('shows the snippets as tabs, among which the arrow keys move', async (page, url) => {
    await page.goto(`${url}/created`)
    const shows = async (text: RegExp) => assert.match(await page.getByRole('tabpanel').innerText(), text)
    await page.getByRole('tab', { name: 'Claude Code' }).focus()
    await page.keyboard.press('ArrowRight')
    await shows(/mcpServers/)
    await page.keyboard.press('End')
    await shows(/urllib/)
    await page.keyboard.press('ArrowRight')
    await shows(/claude mcp add/)
    // Or the browser would ask whether to leave.
    await page.evaluate('dispatchEvent(new PageTransitionEvent("pagehide"))')
    assert.ok(!(await page.content()).includes(TOKEN), 'leaving the page wipes the key from it')
    await page.goto('about:blank')
  })

  test('shows why a request was refused, and when one succeeded', async (_, url, samples) => {
    const page = await browser.open()
    samples.outcome = null
    await page.goto(`${url}/created`)
    const line = page.locator('.waiting')
    assert.equal(await line.innerText(), 'Waiting for the first request…')
    samples.outcome = { kind: 'refused', why: 'forbidden', at: AT, from: 'curl/8.5' }
    await page.locator('.waiting.refused').waitFor()
    assert.match(await line.innerText(), /^A request from curl\/8\.5 was refused: this key is not permitted/)
    samples.outcome = { kind: 'served', at: AT, from: 'curl/8.5 <b>' }
    await page.locator('.waiting.served').waitFor()
    assert.match(await line.innerText(), /the first request from curl\/8\.5 <b> got a response/)
    await page.route('**/first-use', (route) => route.fulfill({ status: 404 }))
    await page.goto(`${url}/created`)
    await page.getByText('You are signed out, or may no longer see this key, so this line no longer updates').waitFor()
  })

  /** What the browser asks when the page’s link to the list is followed. */
  async function askedOnLeaving(page: WatchedPage, { url }: SampleServer, prepare: () => Promise<unknown>) {
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.accept()
    })
    await page.goto(`${url}/created`)
    await prepare()
    const left = page.waitForRequest(/\/keys$/)
    await page.locator('.crumbs a').click()
    await left
    return asked
  }

  test('asks before it is left with an uncopied key, and not once the key was copied or seen to work', async (_, __, samples) => {
    samples.outcome = null
    const careless = await browser.open()
    assert.deepEqual(await askedOnLeaving(careless, samples, async () => {}), ['beforeunload'])
    const byHand = await browser.open({ permissions: CLIPBOARD })
    assert.deepEqual(await askedOnLeaving(byHand, samples, () => byHand.locator('#key').press('Control+c')), [])
    const used = await browser.open()
    samples.outcome = { kind: 'served', at: AT, from: null }
    assert.deepEqual(await askedOnLeaving(used, samples, () => used.locator('.waiting.served').waitFor()), [])
  })

  test('without JavaScript shows all snippets, and no useless button', async (_, url) => {
    const page = await browser.open({ javaScriptEnabled: false })
    await page.goto(`${url}/created`)
    assert.equal(await page.locator('.snippet pre:visible').count(), 9)
    assert.equal(await page.locator('button.copy:visible').count(), 0)
    assert.match(await page.locator('main').innerText(), /Without JavaScript this line does not update/)
    await page.goto(`${url}/create-declared`)
    assert.equal(await page.locator('[name=permissions]:visible').count(), 22)
    assert.equal(await page.locator('[type=search]:visible, [data-choose]:visible').count(), 0)
  })
})

describeSamples('the settings pages', (test, browser) => {
  test('show what a key will see, beside its form', async (page, url) => {
    await page.goto(`${url}/create`)
    const summary = page.getByRole('complementary', { name: 'What it will see' })
    assert.match(await summary.innerText(), /The workspace\s+Tasks: 1,842 rows.*In 90 days/s)
    await page.getByLabel('Read the workspace').uncheck()
    await page.getByLabel('Never').check()
    await page.getByLabel('Requests', { exact: true }).fill('5')
    await page.getByLabel('Networks').fill('203.0.113.0/24')
    const text = await summary.innerText()
    assert.doesNotMatch(text, /The workspace/)
    await page.getByText('Choose rows').click()
    await page.getByLabel('Rows').last().fill('tasks.bookKey=linen')
    const limited = /Tasks: only those chosen, of 1,842 rows.*Only tasks with this book key: linen/s
    assert.match(await summary.innerText(), limited)
    assert.match(text, /Never.*5 requests in 60 seconds.*203\.0\.113\.0\/24/s)
  })

  test('show times in the workspace’s zone, whatever the reader’s', async (_, url) => {
    const page = await browser.open({ timezoneId: 'Asia/Tokyo', locale: 'en-GB' })
    await page.goto(`${url}/audit`)
    assert.equal(await page.locator('tbody time').first().innerText(), '11:00:00')
  })

  test('let the first Tab stop skip the navigation, and Escape close the list of workspaces', async (page, url) => {
    await page.goto(`${url}/keys`)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Connect')
    const menu = page.locator('.switcher')
    await menu.locator('summary').press('Enter')
    await page.getByRole('link', { name: 'Northwind Wholesale' }).waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await menu.getAttribute('open'), null)
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'SUMMARY')
  })
})
