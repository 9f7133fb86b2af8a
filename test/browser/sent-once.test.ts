import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { axeFaults, describeInBrowser, type WatchedPage } from '../support/chromium-suite.ts'
import { startCutProxy } from '../support/cut-proxy.ts'
import { testWith } from '../support/database.ts'
import { type Service, startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'
import { slowDown, withholdResponses } from './slow-network.ts'
import { createKey, openSignedIn, signIn, useKey } from './steps.ts'

const test = testWith(startService)

const KEYS = '/settings/workspaces/acme/keys'
const LATENCY_MS = 200
/** How long a finger stays down; browsers merge two simultaneous submissions. */
const HUMAN_MS = 60

const labelled = async (service: Service, label: string) =>
  (await service.keys.list('acme')).filter((key) => key.label === label)

/** Fills in and sends the form of a new key to a server that is stopped, and starts the server again. */
async function sendWhileStopped(t: TestContext, page: WatchedPage, service: Service, fields: Record<string, string>) {
  const line = await startCutProxy(Number(new URL(service.url).port))
  t.after(() => line.close())
  await signIn(page, { ...service, url: `http://127.0.0.1:${line.port}` })
  await page.getByRole('link', { name: 'Connect', exact: true }).click()
  await page.getByRole('link', { name: 'Create a key' }).click()
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value)
  // Chromium saves what was typed up to a second later, but immediately when the history entry is replaced.
  await page.evaluate('history.replaceState(null, "")')
  line.setDown(true)
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.waitForURL('chrome-error://chromewebdata/')
  line.setDown(false)
}

describeInBrowser('a form is sent once, however often its button is pressed on a slow connection', (browser) => {
  test('a double-click on “Create key” shows the key', async (service) => {
    const page = await openSignedIn(browser, service)
    await slowDown(page, LATENCY_MS)
    await page.goto(`${service.url}${KEYS}/new`)
    await page.getByLabel('Label').fill('Double')
    await page.getByRole('button', { name: 'Create key' }).dblclick({ delay: HUMAN_MS })
    assert.equal(await useKey(service, await page.locator('#key').innerText()), 200)
    assert.equal((await labelled(service, 'Double')).length, 1)
  })

  test('“back” after a form with errors shows the form, and never asks whether to resubmit it', async (service) => {
    const page = await openSignedIn(browser, service)
    await page.goto(`${service.url}${KEYS}/new`)
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('alert').getByText('Give the key a name').waitFor()
    await page.goto(`${service.url}/settings/workspaces/acme/workspace`)
    await page.getByLabel('Timezone').fill('nowhere')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('link', { name: 'Members' }).click()
    await page.goBack()
    await page.getByRole('heading', { name: 'Workspace', exact: true }).waitFor()
    assert.match(page.url(), /\/workspace$/)
  })

  test('the button shows that the form is being sent, and “back” shows a form that can be sent', async (service) => {
    const page = await openSignedIn(browser, service)
    await page.goto(`${service.url}${KEYS}/new`)
    // Delays the request, so that there is time to look.
    await page.evaluate('addEventListener("submit", (event) => event.preventDefault(), { once: true })')
    await page.getByLabel('Label').fill('Pending')
    await page.getByRole('button', { name: 'Create key' }).click()
    const pending = page.getByRole('button', { name: 'Creating…' })
    await pending.waitFor()
    assert.ok(await pending.isDisabled())
    assert.equal(await page.locator('form[aria-busy="true"]').count(), 1)
    assert.deepEqual(await axeFaults(page), [])
    await page.evaluate('dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))')
    assert.equal(await page.locator('form[aria-busy]').count(), 0)
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.locator('#key').waitFor()
    assert.deepEqual(page.complaints, [])
  })
})

describeInBrowser('a key that was created and never seen is found and rotated', (browser) => {
  /** Returns the new key. */
  async function rotateUnseen(page: WatchedPage): Promise<string> {
    await page.getByRole('heading', { name: 'This form was already sent' }).waitFor()
    await page.getByRole('link', { name: 'See this key' }).click()
    await page.getByRole('link', { name: 'Replace it' }).click()
    await page.getByRole('button', { name: 'Rotate key' }).click()
    return page.locator('#key').innerText()
  }

  test('after a double-click without JavaScript', async (service) => {
    const page = await openSignedIn(browser, service, { javaScriptEnabled: false })
    await page.goto(`${service.url}${KEYS}/new`)
    await page.getByLabel('Label').fill('Twice')
    const button = page.getByRole('button', { name: 'Create key' })
    await withholdResponses(page, () => button.dblclick({ delay: HUMAN_MS }))
    assert.equal(await useKey(service, await rotateUnseen(page)), 200)
    const keys = await labelled(service, 'Twice')
    const lost = keys.find(({ replaces }) => replaces === null)
    const found = keys.find(({ replaces }) => replaces === lost?.id)
    assert.equal(typeof lost?.revokedAt, 'string')
    assert.equal(found?.revokedAt, null)
  })

  test('after the connection broke while the key was created', async (service) => {
    const page = await openSignedIn(browser, service)
    await page.goto(`${service.url}${KEYS}/new`)
    await page.getByLabel('Label').fill('Lost on the way')
    // The server gets the form and responds, but the response does not arrive.
    await page.route(`**${KEYS}`, async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    })
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.waitForURL('chrome-error://chromewebdata/')
    await page.unroute(`**${KEYS}`)
    await page.reload()
    assert.equal(await useKey(service, await rotateUnseen(page)), 200)
    assert.equal((await labelled(service, 'Lost on the way')).length, 2)
  })

  test('going back from a stopped server shows the form as it was filled in', async (service, t) => {
    const page = await browser.open()
    await sendWhileStopped(t, page, service, { Label: 'Later', Requests: '120' })
    await page.goBack()
    assert.equal(await page.getByLabel('Label').inputValue(), 'Later')
    assert.equal(await page.getByLabel('Requests').inputValue(), '120')
    await page.getByRole('button', { name: 'Create key' }).click()
    assert.equal(await useKey(service, await page.locator('#key').innerText()), 200)
  })
})

describeInBrowser('a key is shown exactly once', (browser) => {
  for (const javaScriptEnabled of [true, false])
    test(`neither going back nor a reload shows it, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async (service) => {
      const page = await openSignedIn(browser, service, { javaScriptEnabled })
      const token = await createKey(page, 'Only one')
      await page.getByRole('link', { name: 'Done, I have copied it' }).click()
      await page.getByRole('heading', { name: 'Only one' }).waitFor()
      // The browser asks before it sends the form again.
      await page.goBack().catch(() => undefined)
      const shown = () => page.content().catch(() => token)
      await waitUntil(async () => !(await shown()).includes(token))
      await page.goto(`${service.url}${KEYS}`)
      const second = await createKey(page, 'Another')
      await page.reload()
      await page.getByRole('heading', { name: 'This form was already sent' }).waitFor()
      assert.ok(!(await page.content()).includes(second))
      assert.deepEqual(
        [(await labelled(service, 'Only one')).length, (await labelled(service, 'Another')).length],
        [1, 1],
      )
    })
})
