import type { Page } from 'playwright-core'

/** From now on, answers come this much later. Requests are sent at once, as over a long line. */
export async function slowDown(page: Page, latencyMs: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const unlimited = { downloadThroughput: -1, uploadThroughput: -1 }
  await devtools.send('Network.emulateNetworkConditions', { offline: false, latency: latencyMs, ...unlimited })
}
