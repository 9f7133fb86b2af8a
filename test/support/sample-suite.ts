import { after, before, test } from 'node:test'
import { describeInBrowser, type InBrowser, type WatchedPage } from './chromium-suite.ts'
import { type SampleServer, startSampleServer } from './sample-server.ts'

type SampleTest = (name: string, run: (page: WatchedPage, url: string, samples: SampleServer) => Promise<void>) => void

/** A suite over the sample pages, which are below `url`. All of its tests look at them on one page of the browser. */
export function describeSamples(title: string, suite: (test: SampleTest, browser: InBrowser) => void): void {
  describeInBrowser(title, (browser) => {
    let samples: SampleServer
    let page: WatchedPage
    before(async () => {
      samples = await startSampleServer()
      page = await browser.open()
    })
    after(() => samples.close())
    suite((name, run) => test(name, () => run(page, samples.url, samples)), browser)
  })
}
