import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { selfSigned } from '../support/certificates.ts'
import { describeInBrowser } from '../support/chromium-suite.ts'
import { authorizePath, redeem, registered, startConnectable } from '../support/consent.ts'
import { listenUntilEnd } from '../support/listen.ts'
import { linkFor } from '../support/person.ts'
import type { Service } from '../support/service.ts'
import { slowDown, withholdResponses } from './slow-network.ts'
import { openSignedIn, signIn } from './steps.ts'
import { stopClock } from './stopped-clock.ts'

const OWNER = 'owner@acme.example'
const HUMAN_MS = 60

interface ClientSite {
  origin: string
  clientId: string
  /** Where it redirects a person. */
  authorizeUrl: string
  /** The queries that its callback got. */
  received: URLSearchParams[]
  /** The Referer headers that it got. */
  referrers: string[]
}

/** A client's own website, on a different site than the service: a link, a popup, and a callback that reports to its opener. */
async function startClient(
  t: TestContext,
  service: Service,
  { secure = false, onward = '' } = {},
): Promise<ClientSite> {
  const site: ClientSite = { origin: '', clientId: '', authorizeUrl: '', received: [], referrers: [] }
  const respond: RequestListener = (request, response) => {
    const url = new URL(request.url ?? '/', site.origin)
    if (request.headers.referer !== undefined) site.referrers.push(request.headers.referer)
    if (url.pathname === '/callback') {
      site.received.push(url.searchParams)
      if (onward !== '') return response.writeHead(302, { location: onward }).end()
    }
    response.setHeader('content-type', 'text/html')
    response.end(
      url.pathname === '/callback'
        ? '<title>Connected</title><script>opener?.postMessage(location.search, "*")</script>Connected.'
        : `<title>Client</title><a href="${site.authorizeUrl.replaceAll('&', '&amp;')}">Add Vitrine</a>
<button onclick="window.popup = open(document.links[0].href, 'vitrine', 'width=500,height=700')">In a popup</button>
<output></output><script>onmessage = (event) => { document.querySelector('output').textContent = event.data }</script>`,
    )
  }
  const server = secure ? createSecureServer(selfSigned(t), respond) : createServer(respond)
  const port = await listenUntilEnd(t, server)
  site.origin = `${secure ? 'https' : 'http'}://localhost:${port}`
  const redirect_uri = `${site.origin}/callback`
  site.clientId = registered('Stock agent', redirect_uri).id
  site.authorizeUrl = service.url + authorizePath({ client_id: site.clientId, redirect_uri })
  return site
}

async function assertConnected(service: Service, site: ClientSite): Promise<void> {
  assert.equal(site.received.length, 1)
  const [sent] = site.received
  assert.equal(sent?.get('state'), 's-1')
  assert.equal(sent?.get('iss'), service.url)
  const { status, body } = await redeem(service, site.clientId, sent?.get('code') ?? '')
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(
    site.referrers.filter((referrer) => !referrer.startsWith(site.origin)),
    [],
    'no referrer',
  )
}

/** The owner is signed in, and arrives from the client. */
async function openConsent(
  t: TestContext,
  browser: Parameters<typeof openSignedIn>[0],
  context?: Parameters<typeof openSignedIn>[2],
  client?: Parameters<typeof startClient>[2],
) {
  const service = await startConnectable(t)
  const site = await startClient(t, service, client)
  const page = await openSignedIn(browser, service, context)
  await page.goto(site.authorizeUrl)
  return { service, site, page }
}

const connect = (page: Page) => page.getByRole('button', { name: 'Connect' }).click()

/** As if the person had clicked a link on the open page. */
const follow = (page: Page, url: string) => page.evaluate(`location.href = ${JSON.stringify(url)}`)

describeInBrowser('a person who comes from a client’s website', (browser) => {
  test('connects it with a click, and returns there', async (t) => {
    const service = await startConnectable(t)
    const site = await startClient(t, service)
    const page = await openSignedIn(browser, service)
    await page.goto(site.origin)
    await page.getByRole('link', { name: 'Add Vitrine' }).click()
    await page.getByRole('heading', { name: 'Connect a program to Vitrine?' }).waitFor()
    await connect(page)
    await page.waitForURL(`${site.origin}/callback?**`)
    assert.deepEqual(page.complaints, [])
    await assertConnected(service, site)
  })

  test('signs in by link on the way, in a popup whose opener is notified, without our JavaScript', async (t) => {
    const service = await startConnectable(t)
    const site = await startClient(t, service)
    const setup = await browser.open()
    await signIn(setup, service)
    const page = await browser.open()
    // Blocks only our own script: the client's page needs its own.
    await page.context().route('**/settings.js', (route) => route.abort())
    await page.goto(site.origin)
    const opened = page.waitForEvent('popup')
    await page.getByRole('button', { name: 'In a popup' }).click()
    const popup = await opened
    await popup.getByRole('heading', { name: 'Sign in to Vitrine' }).waitFor()
    await follow(popup, await linkFor(service, OWNER))
    await popup.getByRole('button', { name: 'Sign in' }).click()
    await connect(popup)
    await page.locator('output', { hasText: 'code=' }).waitFor()
    assert.equal(await page.evaluate('popup.closed'), false)
    await assertConnected(service, site)
  })
})

describeInBrowser('the consent form is sent once', (browser) => {
  for (const javaScriptEnabled of [true, false])
    test(`by a double-click ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async (t) => {
      const { service, site, page } = await openConsent(t, browser, { javaScriptEnabled })
      const doubleClick = () => page.getByRole('button', { name: 'Connect' }).dblclick({ delay: HUMAN_MS })
      if (javaScriptEnabled) {
        await slowDown(page, 200)
        await doubleClick()
        await page.waitForURL(`${site.origin}/callback?**`)
        return assertConnected(service, site)
      }
      await withholdResponses(page, doubleClick)
      await page.getByRole('heading', { name: 'This form was already sent' }).waitFor()
      const codes = await service.operator.read((tx) => tx.all(`SELECT hash FROM tickets WHERE kind = 'code'`))
      assert.equal(codes.length, 1)
    })
})

describeInBrowser('the content security policy lets the form lead to the client', (browser) => {
  test('at an https address', async (t) => {
    const { service, site, page } = await openConsent(t, browser, { ignoreHTTPSErrors: true }, { secure: true })
    await connect(page)
    await page.waitForURL(`${site.origin}/callback?**`)
    await assertConnected(service, site)
  })

  test('and on to where the client’s callback redirects', async (t) => {
    const service = await startConnectable(t)
    const last = await startClient(t, service, { secure: true })
    const site = await startClient(t, service, { onward: `${last.origin}/` })
    const page = await openSignedIn(browser, service, { ignoreHTTPSErrors: true })
    await page.goto(site.authorizeUrl)
    await connect(page)
    await page.waitForURL(`${last.origin}/`)
    assert.deepEqual(page.complaints, [])
  })
})

describeInBrowser('the consent page', (browser) => {
  test('ignores a click that was meant for a window above it', async (t) => {
    const { service, site, page } = await openConsent(t, browser)
    const button = page.getByRole('button', { name: 'Connect' })
    await button.click({ trial: true })
    await stopClock(page)
    // The event that the page gets when a window above it is closed.
    await page.evaluate(`dispatchEvent(new Event('focus'))`)
    assert.equal(await button.isDisabled(), true)
    await button.click({ force: true })
    await page.clock.runFor(1000)
    await button.click({ trial: true })
    assert.equal(page.url(), site.authorizeUrl)
    await connect(page)
    await page.waitForURL(`${site.origin}/callback?**`)
    await assertConnected(service, site)
  })

  test('cannot be framed by a website', async (t) => {
    const { site, page } = await openConsent(t, browser)
    await page.goto(site.origin)
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: document.links[0].href }))`,
    )
    await page.waitForFunction(() => true)
    await assert.rejects(
      page.frameLocator('iframe').getByRole('button', { name: 'Connect' }).waitFor({ timeout: 1500 }),
    )
  })
})
