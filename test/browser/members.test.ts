// Run once: this tests the pages in a browser; test/web requests them on both engines.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSignedIn } from '../support/browser-steps.ts'
import { describeInBrowser } from '../support/chromium-suite.ts'
import { endSessions, linkFor } from '../support/person.ts'
import { startService } from '../support/service.ts'

const MEMBERS = '/settings/workspaces/acme/members'

describeInBrowser('members', (browser) => {
  test('a form submitted after its session ended is filled in again after signing in', async (t) => {
    const service = await startService(t)
    const page = await openSignedIn(browser, service)
    await page.goto(`${service.url}${MEMBERS}/new`)
    await page.getByLabel('Email address').fill('bo@acme.example')
    await page.getByRole('radio', { name: /Admin/ }).check()
    await endSessions(service)
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByText('what you typed is kept').waitFor()
    await page.goto(await linkFor(service, 'owner@acme.example'))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('What you typed is still here').waitFor()
    assert.equal(await page.getByLabel('Email address').inputValue(), 'bo@acme.example')
    assert.equal(await page.getByRole('radio', { name: /Admin/ }).isChecked(), true)
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('heading', { name: 'Invitation created' }).waitFor()
  })
})
