// Run once: this tests the pages in a browser; test/web requests them on both engines.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKey, openSignedIn, rowOf } from '../support/browser-steps.ts'
import { describeInBrowser } from '../support/chromium-suite.ts'
import { startService } from '../support/service.ts'

describeInBrowser('a key is shown exactly once', (browser) => {
  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? '' : ', also without JavaScript'

    test(`a reload shows no key and creates no second one${how}`, async (t) => {
      const service = await startService(t)
      const page = await openSignedIn(browser, service, { javaScriptEnabled })
      const token = await createKey(page, 'Only one')
      await page.reload()
      await page.getByRole('heading', { name: 'This form was already sent' }).waitFor()
      assert.ok(!(await page.content()).includes(token))
      await page.goto(`${service.url}/settings/workspaces/acme/keys`)
      assert.equal(await rowOf(page, 'Only one').count(), 1)
    })

    test(`going back shows no key${how}`, async (t) => {
      const service = await startService(t)
      const page = await openSignedIn(browser, service, { javaScriptEnabled })
      const token = await createKey(page, 'Only one')
      await page.getByRole('link', { name: 'Done, I have copied it' }).click()
      await rowOf(page, 'Only one').waitFor()
      await page.goBack().catch(() => undefined)
      assert.ok(!(await page.content()).includes(token))
      await page.goto(`${service.url}/settings/workspaces/acme/keys`)
      assert.equal(await rowOf(page, 'Only one').count(), 1)
    })
  }
})
