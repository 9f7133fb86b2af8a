// Run once: this is what a browser makes of the pages; test/web requests them on both.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIn } from '../support/browser-steps.ts'
import { describeInBrowser } from '../support/chromium-suite.ts'
import { connectElsewhere } from '../support/database.ts'
import { linkFor } from '../support/person.ts'
import { startService } from '../support/service.ts'

const MEMBERS = '/settings/workspaces/acme/members'

describeInBrowser('members', (browser) => {
  test('an owner invites an admin, who signs in with the link, is demoted, and removed', async (t) => {
    const service = await startService(t)
    const owner = await browser.open()
    await signIn(owner, service)
    await owner.getByRole('link', { name: 'Members' }).click()
    await owner.getByRole('link', { name: 'Invite' }).click()
    await owner.getByLabel('Email address').fill('ana@acme.example')
    await owner.getByRole('radio', { name: /Admin/ }).check()
    await owner.getByRole('button', { name: 'Invite' }).click()
    const link = await owner.locator('#link').innerText()

    const ana = await browser.open()
    await ana.goto(link)
    await ana.getByRole('button', { name: 'Sign in' }).click()
    await ana.getByRole('link', { name: 'Members' }).click()
    await ana.getByRole('link', { name: 'Invite' }).waitFor()

    await owner.goBack()
    await owner.goto(service.url + MEMBERS)
    await owner.getByRole('link', { name: 'Manage ana@acme.example' }).click()
    await owner.getByRole('radio', { name: /^Member/ }).check()
    await owner.getByRole('button', { name: 'Change role' }).click()
    await owner.getByText('ana@acme.example is now a member.').waitFor()
    await ana.getByRole('link', { name: 'Invite' }).click()
    await ana.getByText('Only owners and admins can do this').waitFor()

    await owner.getByRole('link', { name: 'Manage ana@acme.example' }).click()
    await owner.getByRole('link', { name: 'Remove' }).click()
    await owner.getByRole('button', { name: 'Remove' }).click()
    await owner.getByText('They are no longer a member').waitFor()
    await ana.reload()
    await ana.getByRole('heading', { name: 'Sign in to Vitrine' }).waitFor()
    assert.deepEqual(owner.complaints, [])
  })

  test('a form that is sent after its session ended is filled in again after signing in', async (t) => {
    const service = await startService(t)
    const page = await browser.open()
    await signIn(page, service)
    await page.goto(`${service.url}${MEMBERS}/new`)
    await page.getByLabel('Email address').fill('bo@acme.example')
    await page.getByRole('radio', { name: /Admin/ }).check()
    const elsewhere = await connectElsewhere(service.databaseUrl)
    await elsewhere.run('DELETE FROM sessions')
    await elsewhere.close()
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
