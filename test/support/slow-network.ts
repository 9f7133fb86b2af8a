import type { Page } from 'playwright-core'

/** From now on, responses are delayed by this much. Requests are sent immediately, as over a slow connection. */
export async function slowDown(page: Page, latencyMs: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const unlimited = { downloadThroughput: -1, uploadThroughput: -1 }
  await devtools.send('Network.emulateNetworkConditions', { offline: false, latency: latencyMs, ...unlimited })
}
