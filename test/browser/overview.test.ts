import assert from 'node:assert/strict'
import { overviewModel } from '../support/sample-overview.ts'
import type { SampleServer } from '../support/sample-server.ts'
import { describeSamples } from '../support/sample-suite.ts'
import { stopClock } from '../support/stopped-clock.ts'
import { waitUntil } from '../support/wait.ts'

const HOUR_SECONDS = 3600

describeSamples('the open overview', (test, browser) => {
  async function open(samples: SampleServer) {
    Object.assign(samples.overview, { status: 200, model: overviewModel, polls: 0 })
    const page = await browser.open()
    await stopClock(page)
    await page.goto(`${samples.url}/overview`)
    const line = page.getByRole('status')
    await line.getByText('Updating').waitFor()
    // Records the delay before each poll from the second on.
    await page.evaluate(
      'waits = []; const start = setTimeout; setTimeout = (work, ms) => { waits.push(ms); return start(work, ms) }',
    )
    /** Resolves once the page has scheduled this many polls; returns the delay before each. */
    const untilWaiting = async (times: number) => {
      await waitUntil(() => page.evaluate<boolean>(`waits.length === ${times}`))
      return page.evaluate<number[]>('waits')
    }
    return { page, line, untilWaiting }
  }

  test('describes a day of the chart at once, with the pointer and with the keyboard', async (page, url) => {
    await page.goto(`${url}/overview`)
    const words = () => page.locator('.plot output').textContent()
    await page.locator('.day').first().hover()
    assert.match((await words()) ?? '', /^17 Oct 2026: 420 served, 3 refused/)
    await page.locator('[data-chart]').focus()
    for (const key of ['ArrowRight', 'ArrowRight']) await page.keyboard.press(key)
    assert.match((await words()) ?? '', /^19 Oct 2026/)
    await page.keyboard.press('Escape')
    assert.equal(await page.locator('.plot output').count(), 0)
  })

  test('shows new requests, and polls less and less often while there are none', async (_, __, samples) => {
    const { page, untilWaiting } = await open(samples)
    const today = { day: '2026-11-15', served: 12_450, refused: { over_quota: 31 } }
    samples.overview.model = { ...overviewModel, days: [...overviewModel.days.slice(0, -1), today] }
    await page.clock.fastForward(5000)
    await page.locator('.figures').getByText('12,481').waitFor()
    let waits = await untilWaiting(1)
    for (let polls = 2; polls < 10; polls++) {
      await page.clock.runFor(Math.ceil(waits.at(-1) ?? 0))
      waits = await untilWaiting(polls)
      assert.equal(samples.overview.polls, polls)
    }
    assert.ok(
      waits.every((ms, i) => i === 0 || ms >= (waits[i - 1] ?? 0)),
      `${waits}`,
    )
    assert.ok((waits.at(-1) ?? 0) > 60_000 && Math.max(...waits) <= 120_000, `${waits}`)
  })

  test('stops when the session has ended, and shows that', async (_, __, samples) => {
    const { page, line } = await open(samples)
    samples.overview.status = 404
    await page.clock.fastForward(5000)
    await line.getByText('You are signed out, or may no longer see this page, so it no longer updates.').waitFor()
    const { polls } = samples.overview
    await page.clock.fastForward(HOUR_SECONDS * 1000)
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
    await page.clock.fastForward(HOUR_SECONDS * 1000)
    assert.equal(samples.overview.polls, polls)
  })

  test('does not replace a part that has the focus', async (_, __, samples) => {
    const { page } = await open(samples)
    const link = page.getByRole('link', { name: 'Audit log' }).last()
    await link.focus()
    samples.overview.model = { ...overviewModel, changes: overviewModel.changes.slice(0, 1), busiest: [] }
    await page.clock.fastForward(5000)
    await page.getByText('No key was used in the last seven days.').waitFor()
    assert.equal(await page.locator('[data-part="changes"] li').count(), overviewModel.changes.length)
  })
})
