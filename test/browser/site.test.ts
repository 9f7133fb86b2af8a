import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axeFaults, DESKTOP, describeInBrowser, PHONE, sidewaysScroll } from '../support/chromium-suite.ts'
import { startService } from '../support/service.ts'
import { stopClock } from './stopped-clock.ts'

const PATHS = ['/', '/docs', '/docs/rest', '/docs/api', '/docs/api/readTasks', '/problems/unauthorized']

describeInBrowser('the public pages', (browser) => {
  test('pass axe’s checks, in turn on a desktop in light and on a phone in dark colours, and fit on any screen', async (t) => {
    const { url } = await startService(t)
    const page = await browser.open({ colorScheme: 'light' })
    for (const [index, path] of PATHS.entries()) {
      assert.equal((await page.goto(url + path))?.status(), 200, path)
      await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
      const [viewport, colorScheme] = index % 2 === 0 ? [DESKTOP, 'light' as const] : [PHONE, 'dark' as const]
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await axeFaults(page), [], `${path}, ${colorScheme}`)
      for (const width of [320, 1024]) {
        await page.setViewportSize({ width, height: 800 })
        assert.equal(await sidewaysScroll(page), 0, `${path} at ${width}`)
      }
    }
    assert.deepEqual(page.complaints, [])
  })

  test('a button copies a code block; a phone folds the list of guides, and a desktop shows it', async (t) => {
    const { url } = await startService(t)
    const page = await browser.open()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url })
    await page.goto(`${url}/docs/mcp`)
    await stopClock(page)
    const code = page.locator('.article pre').first()
    await code.locator('xpath=..').getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), await code.textContent())
    const guide = page.getByRole('navigation', { name: 'Guides' }).getByRole('link', { name: 'Reliability' })
    await page.setViewportSize(DESKTOP)
    assert.ok(await guide.isVisible())
    await page.setViewportSize(PHONE)
    assert.ok(!(await guide.isVisible()))
    await page.getByText('All guides').click()
    await guide.click()
    await page.getByRole('heading', { name: 'Reliability', level: 1 }).waitFor()
  })

  test('lead from the home page to a section of a guide by keyboard and by links', async (t) => {
    const { url } = await startService(t)
    const page = await browser.open({ javaScriptEnabled: false })
    await page.goto(url)
    await page.keyboard.press('Tab')
    assert.equal(await page.locator(':focus').innerText(), 'Skip to the content')
    await page.keyboard.press('Enter')
    await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Docs' }).click()
    await page.getByRole('link', { name: 'REST', exact: true }).click()
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Quota' }).click()
    assert.ok(page.url().endsWith('/docs/rest#quota'))
    const heading = await page.getByRole('heading', { name: 'Quota' }).boundingBox()
    assert.ok(heading !== null && heading.y < DESKTOP.height, 'the section is on the screen')
    assert.equal((await page.goto(`${url}/docs/nothing`))?.status(), 404)
    await page.getByRole('main').getByRole('link', { name: 'All guides' }).click()
    await page.getByRole('heading', { name: 'Documentation' }).waitFor()
  })
})
