import assert from 'node:assert/strict'
import { describeInBrowser, PHONE, sidewaysScroll, type WatchedPage } from '../support/chromium-suite.ts'
import { testWith } from '../support/database.ts'
import { startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'
import { createKey, openSignedIn, rowOf, useKey } from './steps.ts'

const test = testWith(startService)

/** Every kind of page passes axe’s checks in pages.test.ts. */
async function assertSound(page: WatchedPage) {
  assert.equal(await sidewaysScroll(page), 0)
  assert.deepEqual(page.complaints, [])
}

describeInBrowser('an owner', (browser) => {
  test('signs in by link, creates a key, copies it, and sees its first request arrive', async (service) => {
    const page = await openSignedIn(browser, service, { permissions: ['clipboard-read', 'clipboard-write'] })
    await createKey(page, 'Stock agent')
    await page.getByRole('button', { name: 'Copy key' }).click()
    let token = ''
    await waitUntil(async () => {
      token = await page.evaluate<string>('navigator.clipboard.readText()')
      return /^vtr_[0-9A-Za-z]{49}$/.test(token)
    })

    const line = page.locator('.waiting')
    assert.equal(await line.innerText(), 'Waiting for the first request…')
    assert.equal(await useKey(service, token), 200)
    await page.locator('.waiting.served').waitFor()
    assert.match(await line.innerText(), /^It works: the first request from .*stock-agent.* got a response/)
    await assertSound(page)

    await page.getByRole('link', { name: 'Done, I have copied it' }).click()
    await page.getByRole('heading', { name: 'Stock agent' }).waitFor()
    await assertSound(page)
    await page.locator('.crumbs a').click()
    assert.match(await rowOf(page, 'Stock agent').innerText(), /just now/)
    await assertSound(page)
  })

  test('does the same without JavaScript, to the end: rotate, revoke, audit, sign out', async (service) => {
    const page = await openSignedIn(browser, service, { javaScriptEnabled: false })
    const token = await createKey(page, 'Stock agent')
    assert.equal(await useKey(service, token), 200)

    await page.locator('.crumbs a').click()
    await rowOf(page, 'Stock agent').getByRole('link', { name: 'Rotate' }).click()
    await page.getByLabel('It is revoked immediately').check()
    await page.getByRole('button', { name: 'Rotate key' }).click()
    const successor = await page.locator('#key').innerText()
    assert.equal(await useKey(service, token), 401)
    assert.equal(await useKey(service, successor), 200)

    await page.locator('.crumbs a').click()
    await page.locator('.keys').first().getByRole('link', { name: 'Revoke Stock agent' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    assert.match(await page.locator('.notice').innerText(), /Stock agent.*revoked/)
    assert.equal(await useKey(service, successor), 401)

    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByLabel('Kind').selectOption('changes')
    await page.getByRole('button', { name: 'Filter' }).click()
    assert.match(
      await page.locator('.audit tbody:not(.day-row) tr').first().innerText(),
      /Revoked the key\s+Stock agent/,
    )

    await page.getByRole('button', { name: 'Sign out' }).click()
    assert.match(await page.locator('.notice').innerText(), /signed out/)
    await page.goto(`${service.url}/settings/workspaces/acme/keys`)
    await page.getByRole('heading', { name: 'Sign in to Vitrine' }).waitFor()
  })

  test('revokes the keys that are checked, by keyboard and without JavaScript', async (service) => {
    const [one, two] = [await service.createKey({ label: 'One' }), await service.createKey({ label: 'Two' })]
    const kept = await service.createKey({ label: 'Three' })
    const page = await openSignedIn(browser, service, { javaScriptEnabled: false, viewport: PHONE })
    await page.goto(`${service.url}/settings/workspaces/acme/keys`)
    for (const name of ['One', 'Two']) await page.getByRole('checkbox', { name, exact: true }).press('Space')
    await assertSound(page)
    await page.getByRole('button', { name: 'Revoke selected' }).press('Enter')
    await page.getByRole('heading', { name: 'Revoke 2 keys?' }).waitFor()
    await assertSound(page)
    await page.getByRole('button', { name: 'Revoke 2 keys' }).press('Enter')
    assert.equal(await page.locator('.notice').innerText(), '2 keys revoked.')
    for (const { token } of [one, two]) assert.equal(await useKey(service, token), 401)
    assert.equal(await useKey(service, kept.token), 200)
  })

  test('a key that arrives in a URL ends the waiting: the line explains it, and links to a new key', async (service) => {
    const page = await openSignedIn(browser, service)
    const token = await createKey(page, 'Stock agent')
    await fetch(`${service.url}/tasks?key=${token}`)
    await page.getByText('This key arrived in a URL').waitFor()
    await page.getByRole('link', { name: 'Replace it' }).click()
    await page.getByRole('button', { name: 'Rotate key' }).click()
    const successor = await page.locator('#key').innerText()
    assert.equal(await useKey(service, token), 401)
    assert.equal(await useKey(service, successor), 200)
  })

  test('works without a mouse', async (service) => {
    const page = await openSignedIn(browser, service)
    const tabTo = async (name: string) => {
      for (let i = 0; i < 40; i++) {
        await page.keyboard.press('Tab')
        if ((await page.evaluate<string>('document.activeElement.textContent.trim()')) === name) return
      }
      assert.fail(`Tab does not reach ${name}`)
    }
    await tabTo('Connect')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Connect' }).waitFor()
    await tabTo('Create a key')
    await page.keyboard.press('Enter')
    // The label has the focus from the start.
    await page.getByLabel('Label').waitFor()
    await page.keyboard.type('By keyboard')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await tabTo('Create key')
    await page.keyboard.press('Enter')
    await page.locator('#key').waitFor()
    assert.match(await page.locator('.lead').innerText(), /“By keyboard” may use tasks:read until/)
  })
})
