import assert from 'node:assert/strict'
import { axeFaults, sidewaysScroll } from './chromium-suite.ts'
import { samplePages } from './sample-pages.ts'
import { describeSamples } from './sample-suite.ts'
import { DESKTOP, PHONE } from './screens.ts'

export const looks = [
  { viewport: DESKTOP, colorScheme: 'light' },
  { viewport: PHONE, colorScheme: 'dark' },
] as const

interface AxeSuite {
  /** All sample pages if left out. */
  pages?: readonly string[]
  /** The looks of a page, by its place in the list. */
  looksOf(index: number): readonly (typeof looks)[number][]
  /** Rules to leave out. */
  except?: readonly string[]
}

export function describeAxe(title: string, { pages = Object.keys(samplePages), looksOf, except = [] }: AxeSuite): void {
  describeSamples(title, (test) => {
    // Of many keys each row is like those of a few.
    for (const [index, name] of pages.entries())
      if (name !== 'keys-many')
        test(name, async (page, url) => {
          await page.goto(`${url}/${name}`)
          await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
          for (const { viewport, colorScheme } of looksOf(index)) {
            await page.setViewportSize(viewport)
            await page.emulateMedia({ colorScheme })
            assert.deepEqual(await axeFaults(page, { except }), [])
            assert.equal(await sidewaysScroll(page), 0)
          }
          assert.deepEqual(page.complaints, [])
        })
  })
}
