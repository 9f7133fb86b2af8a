import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { axeFaults, describeInBrowser, type WatchedPage } from '../support/chromium-suite.ts'
import { authorizePath, redeem, registered } from '../support/consent.ts'
import { freePort, listen } from '../support/listen.ts'
import { linkFor } from '../support/person.ts'
import { type Service, startService } from '../support/service.ts'

const OWNER = 'owner@acme.example'
const SIGN_INS = '/settings/workspaces/acme/sign-ins'

/** At localhost, to which browsers bind passkeys without TLS. */
async function startAtLocalhost(t: TestContext): Promise<Service> {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const service = await startService(t, { port, env: { PUBLIC_URL: url } })
  await service.addMember(OWNER, 'owner')
  return { ...service, url }
}

/** A security key that Chromium simulates, with a resident key and user verification. */
async function addAuthenticator(page: Page) {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
  return {
    verify: (isUserVerified: boolean) => devTools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    setCounter: async (signCount: number) => {
      const { credentials } = await devTools.send('WebAuthn.getCredentials', { authenticatorId })
      for (const credential of credentials) {
        await devTools.send('WebAuthn.removeCredential', { authenticatorId, credentialId: credential.credentialId })
        await devTools.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount } })
      }
    },
  }
}

async function signInByLink(page: Page, service: Service): Promise<void> {
  await page.goto(await linkFor(service, OWNER))
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name of the passkey').fill(name)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
}

const signOut = (page: Page) => page.getByRole('button', { name: 'Sign out', exact: true }).click()
const useButton = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' }).click()

/** The owner has a passkey, and is signed out. */
async function withPasskey(t: TestContext, page: WatchedPage) {
  const service = await startAtLocalhost(t)
  const authenticator = await addAuthenticator(page)
  await signInByLink(page, service)
  await page.getByText('Add a passkey now').waitFor()
  await addPasskey(page, 'Work laptop')
  await page.getByRole('row', { name: 'Work laptop' }).waitFor()
  await signOut(page)
  return { service, authenticator }
}

describeInBrowser('passkeys', (browser) => {
  test('are offered after signing in by link, sign in without one, and can be removed', async (t) => {
    const page = await browser.open()
    const { service } = await withPasskey(t, page)
    await useButton(page)
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor()
    await page.goto(service.url + SIGN_INS)
    await page.getByRole('row', { name: 'Work laptop' }).waitFor()
    assert.deepEqual(await axeFaults(page), [])
    await addPasskey(page, 'Again')
    await page.getByText('This device already has a passkey').waitFor()
    await page.getByRole('button', { name: 'Remove Work laptop' }).click()
    await page.getByText('it no longer signs you in').waitFor()
    assert.deepEqual(page.complaints, [])
    await signOut(page)
    await useButton(page)
    await page.getByText('This passkey does not work here').waitFor()
  })

  test('require user verification and a counter that rises', async (t) => {
    const page = await browser.open()
    const { authenticator } = await withPasskey(t, page)
    await authenticator.verify(false)
    await useButton(page)
    await page.getByText('it was cancelled, or took too long').waitFor()
    await authenticator.verify(true)
    await authenticator.setCounter(40)
    await useButton(page)
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor()
    await signOut(page)
    await authenticator.setCounter(3)
    await useButton(page)
    await page.getByText('may have been copied').waitFor()
  })

  test('lead to the consent that a client asked for, and to the client with an error', async (t) => {
    const page = await browser.open()
    const { service } = await withPasskey(t, page)
    const received: URLSearchParams[] = []
    const client = createServer((request, response) => {
      received.push(new URL(request.url ?? '/', 'http://localhost').searchParams)
      response.end('done')
    })
    const origin = `http://127.0.0.1:${await listen(client)}`
    t.after(() => client.closeAllConnections())
    t.after(() => client.close())
    const redirect_uri = `${origin}/callback`
    const client_id = registered('Stock agent', redirect_uri).id
    await page.goto(service.url + authorizePath({ client_id, redirect_uri }))
    await useButton(page)
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.waitForURL(`${origin}/callback?**`)
    assert.equal((await redeem(service, client_id, received[0]?.get('code') ?? '')).status, 200)
    await page.goto(service.url + SIGN_INS)
    await signOut(page)
    await page.goto(service.url + authorizePath({ client_id, redirect_uri, scope: 'unknown:scope' }))
    await useButton(page)
    await page.waitForURL(`${origin}/callback?**`)
    assert.equal(new URL(page.url()).searchParams.get('error'), 'invalid_scope')
    assert.deepEqual(page.complaints, [])
  })

  test('are not offered by a browser that lacks them, which shows that, or without JavaScript', async (t) => {
    const service = await startAtLocalhost(t)
    for (const javaScriptEnabled of [true, false]) {
      const page = await browser.open({ javaScriptEnabled })
      if (javaScriptEnabled) await page.addInitScript('delete globalThis.PublicKeyCredential')
      await page.goto(`${service.url}/settings/sign-in`)
      await page.getByText('Ask for a link instead').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible(), false)
      await signInByLink(page, service)
      await page.getByText('This browser cannot add a passkey').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Add a passkey' }).isVisible(), false)
      await page.getByRole('link', { name: 'Not now' }).click()
      await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor()
      assert.deepEqual(page.complaints, [])
    }
  })
})
