import type { Page } from 'playwright-core'

/** From now on, the page's timers run only when the test advances them by `page.clock`, however long the machine takes. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.install({ time: 0 })
  // By itself, time would pass from the installation until here.
  await page.clock.pauseAt('1970-01-02')
}
