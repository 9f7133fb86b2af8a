import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { describeInBrowser, type WatchedPage } from '../support/chromium-suite.ts'
import { TOKEN } from '../support/sample-models.ts'
import { type SampleServer, startSampleServer } from '../support/sample-server.ts'
import { stopClock } from '../support/stopped-clock.ts'

describeInBrowser('the script’s additions to the pages', (browser) => {
  let samples: SampleServer
  before(async () => {
    samples = await startSampleServer()
  })
  after(() => samples.close())

  test('the key and each snippet are copied, and the button confirms it', async () => {
    const page = await browser.open({ permissions: ['clipboard-read', 'clipboard-write'] })
    await page.goto(`${samples.url}/created`)
    await stopClock(page)
    const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()')

    await page.getByRole('button', { name: 'Copy key' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await clipboard(), TOKEN)

    await page.getByRole('tab', { name: 'curl' }).click()
    await page.getByRole('tabpanel').getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('tabpanel').getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(
      await clipboard(),
      `curl https://vitrine.northwind.example/tasks \\\n  -H "Authorization: Bearer ${TOKEN}"`,
    )
    await page.clock.runFor(2500)
    await page.getByRole('button', { name: 'Copy key' }).waitFor()
  })

  test('what a key will see changes with its form', async () => {
    const page = await browser.open()
    await page.goto(`${samples.url}/create`)
    const summary = page.getByRole('complementary', { name: 'What it will see' })
    assert.match(await summary.innerText(), /Read the workspace.*List current tasks\s+1,842 rows now.*In 90 days/s)
    await page.getByLabel('Read the workspace').uncheck()
    await page.getByLabel('Never').check()
    await page.getByLabel('Requests', { exact: true }).fill('5')
    await page.getByLabel('Networks').fill('203.0.113.0/24')
    const text = await summary.innerText()
    assert.doesNotMatch(text, /Read the workspace/)
    assert.match(text, /Never.*5 requests in 60 seconds.*203\.0\.113\.0\/24/s)
  })

  test('the snippets are tabs, and the arrow keys move between them', async () => {
    const page = await browser.open()
    await page.goto(`${samples.url}/created`)
    await page.getByRole('tab', { name: 'Claude Code' }).focus()
    await page.keyboard.press('ArrowRight')
    assert.match(await page.getByRole('tabpanel').innerText(), /mcpServers/)
    await page.keyboard.press('End')
    assert.match(await page.getByRole('tabpanel').innerText(), /urllib/)
    await page.keyboard.press('ArrowRight')
    assert.match(await page.getByRole('tabpanel').innerText(), /claude mcp add/)
    assert.equal(await page.getByRole('tabpanel').count(), 1)
  })

  test('the waiting line shows why a request was refused, and turns green when one succeeds', async () => {
    const page = await browser.open()
    samples.outcome = null
    await page.goto(`${samples.url}/created`)
    const line = page.locator('.waiting')
    assert.equal(await line.innerText(), 'Waiting for the first request…')
    const at = '2026-11-15T12:00:00.000Z'
    samples.outcome = { kind: 'refused', why: 'forbidden', at, from: 'curl/8.5' }
    await page.locator('.waiting.refused').waitFor()
    assert.match(await line.innerText(), /^A request from curl\/8\.5 was refused: this key is not permitted/)
    samples.outcome = { kind: 'refused', why: 'damaged', at, from: null }
    await page.getByText('A request was refused: it used a damaged copy of this key. Copy it again').waitFor()
    samples.outcome = { kind: 'served', at, from: 'curl/8.5 <b>' }
    await page.locator('.waiting.served').waitFor()
    assert.equal(await line.innerText(), 'It works: the first request from curl/8.5 <b> got a response.')
  })

  test('the waiting line shows that it stopped watching, because the session ended', async () => {
    const page = await browser.open()
    await page.route('**/first-use', (route) => route.fulfill({ status: 404 }))
    await page.goto(`${samples.url}/created`)
    await page.getByText('You are signed out, or may no longer see this key, so this line no longer updates').waitFor()
  })

  test('the new key has the focus, is fully selected, and has a name for screen readers', async () => {
    const page = await browser.open()
    await page.goto(`${samples.url}/created`)
    const field = page.getByRole('textbox', { name: 'Copy it now' })
    assert.ok(await field.evaluate((element) => element === element.ownerDocument.activeElement))
    const selected = () => page.evaluate<string>('getSelection().toString()')
    assert.equal(await selected(), TOKEN)
    await page.keyboard.press('Tab')
    await page.getByRole('heading', { name: 'Your new key' }).click()
    assert.equal(await selected(), '')
    await field.click()
    assert.equal(await selected(), TOKEN)
  })

  /** The browser's question when the page's link to the list is followed. */
  async function askedOnLeaving(page: WatchedPage, prepare: () => Promise<unknown>): Promise<string[]> {
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.accept()
    })
    samples.outcome = null
    await page.goto(`${samples.url}/created`)
    await prepare()
    const left = page.waitForRequest(/\/keys$/)
    await page.locator('.crumbs a').click()
    await left
    return asked
  }

  test('leaving with an uncopied key asks for confirmation', async () => {
    const page = await browser.open()
    assert.deepEqual(await askedOnLeaving(page, async () => {}), ['beforeunload'])
  })

  test('not after it was copied, by the button or by hand, or was seen to work', async () => {
    const permissions = ['clipboard-read', 'clipboard-write']
    const ways: ((page: WatchedPage) => Promise<unknown>)[] = [
      async (page) => {
        await stopClock(page)
        await page.getByRole('button', { name: 'Copy key' }).click()
        await page.getByRole('button', { name: 'Copied' }).waitFor()
      },
      async (page) => page.locator('#key').press('Control+c'),
      async (page) => {
        samples.outcome = { kind: 'served', at: '2026-11-15T12:00:00.000Z', from: null }
        await page.locator('.waiting.served').waitFor()
      },
    ]
    for (const way of ways) {
      const page = await browser.open({ permissions })
      assert.deepEqual(await askedOnLeaving(page, () => way(page)), [])
    }
    const page = await browser.open()
    page.on('dialog', () => assert.fail('asked, though the person says that it is copied'))
    await page.goto(`${samples.url}/created`)
    const left = page.waitForRequest(/\/keys$/)
    await page.getByRole('link', { name: 'Done, I have copied it' }).click()
    await left
  })

  test('leaving the page wipes the key from it', async () => {
    const page = await browser.open()
    await page.goto(`${samples.url}/created`)
    await page.evaluate('dispatchEvent(new PageTransitionEvent("pagehide"))')
    assert.ok(!(await page.content()).includes(TOKEN))
  })

  test('times are shown in the workspace’s zone, whatever the reader’s', async () => {
    const page = await browser.open({ timezoneId: 'Asia/Tokyo', locale: 'en-GB' })
    await page.goto(`${samples.url}/audit`)
    assert.equal(await page.locator('tbody time').first().innerText(), '11:00:00')
  })

  test('the list of workspaces closes on Escape and returns the focus', async () => {
    const page = await browser.open()
    await page.goto(`${samples.url}/keys`)
    const menu = page.locator('.switcher')
    await menu.locator('summary').press('Enter')
    await page.getByRole('link', { name: 'Northwind Wholesale' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Escape')
    assert.equal(await menu.getAttribute('open'), null)
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'SUMMARY')
  })

  test('the first Tab stop skips the navigation', async () => {
    const page = await browser.open()
    await page.goto(`${samples.url}/keys`)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Connect')
  })

  test('without script, all snippets are readable, and there is no useless button', async () => {
    const page = await browser.open({ javaScriptEnabled: false })
    await page.goto(`${samples.url}/created`)
    assert.equal(await page.locator('.snippet pre:visible').count(), 9)
    assert.equal(await page.locator('button.copy:visible').count(), 0)
    assert.match(await page.locator('main').innerText(), /Without JavaScript this line does not update/)
  })
})
