// Run once: this is what a browser makes of the pages; test/web requests them on both.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addMember, removeMember } from '../../src/members/members.ts'
import { createWorkspace } from '../../src/resources/workspace/workspaces.ts'
import { createKey, signIn, useKey } from '../support/browser-steps.ts'
import { describeInBrowser } from '../support/chromium-suite.ts'
import { addOtherOwner } from '../support/person.ts'
import { startService } from '../support/service.ts'

const KEYS = '/settings/workspaces/acme/keys'

describeInBrowser('roles', (browser) => {
  test('a member sees whom to ask, and can do nothing else', async (t) => {
    const service = await startService(t)
    const { id } = await service.createKey({ label: 'Not theirs' })
    const owner = await browser.open()
    await signIn(owner, service)
    const page = await browser.open()
    await signIn(page, service, 'member')
    assert.match(await page.locator('main').innerText(), /owner@acme\.example/)
    assert.equal(await page.getByText('Not theirs').count(), 0)
    for (const path of [`${KEYS}/new`, `${KEYS}/${id}/rotate`, `${KEYS}/${id}/revoke`, KEYS.replace('keys', 'audit')])
      assert.equal((await page.goto(service.url + path))?.status(), 403, path)
  })

  test('an admin creates keys', async (t) => {
    const service = await startService(t)
    const page = await browser.open()
    await signIn(page, service, 'admin')
    assert.equal(await useKey(service, await createKey(page, 'By an admin')), 200)
  })

  test('a person of two workspaces switches between them', async (t) => {
    const service = await startService(t)
    const now = new Date(service.time.now).toISOString()
    await createWorkspace(service.operator, { name: 'Other Buying', slug: 'other' }, 'test', now)
    await addMember(service.operator, 'other', { email: 'owner@acme.example', role: 'member' }, 'test', now)
    const page = await browser.open()
    await signIn(page, service)
    await page.locator('.switcher summary').click()
    await page.getByRole('link', { name: 'Other Buying' }).click()
    await page.getByRole('heading', { name: 'You cannot create keys in Other Buying' }).waitFor()
  })

  test('a member who is removed is signed out at once', async (t) => {
    const service = await startService(t)
    const page = await browser.open()
    await signIn(page, service)
    await addOtherOwner(service)
    await removeMember(service.operator, 'acme', 'owner@acme.example', 'test', new Date(service.time.now).toISOString())
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in to Vitrine' }).waitFor()
  })
})
