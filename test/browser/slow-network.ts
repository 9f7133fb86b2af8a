import type { Page } from 'playwright-core'

/** From now on, responses are delayed by this much. Requests are sent immediately, as over a slow connection. */
export async function slowDown(page: Page, latencyMs: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const unlimited = { downloadThroughput: -1, uploadThroughput: -1 }
  await devtools.send('Network.emulateNetworkConditions', { offline: false, latency: latencyMs, ...unlimited })
}

/** Sends forms one after the other, and lets no response arrive before `action` has ended, however busy the machine is. */
export async function withholdResponses(page: Page, action: () => Promise<void>): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  let sent: Promise<unknown> = Promise.resolve()
  await page.route('**', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    const fetched = sent.then(() => route.fetch({ maxRedirects: 0 }))
    sent = fetched
    const response = await fetched
    await ended
    // Fails for a form that was replaced by the next one.
    await route.fulfill({ response }).catch(() => {})
  })
  await action()
  resolve()
}
