/** Retakes docs/images/*.png from sample models, so that the pictures show today's pages and nobody's data. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { launchChromium } from '../test/support/chromium.ts'
import { PHONE } from '../test/support/chromium-suite.ts'
import { NOW } from '../test/support/sample-models.ts'
import { startSampleServer } from '../test/support/sample-server.ts'

/** Wide enough for the table at its full width. */
const WINDOW = { width: 1400, height: 860 }

const pictures = [
  { file: 'keys-light', sample: 'keys', colorScheme: 'light', viewport: WINDOW },
  { file: 'keys-dark', sample: 'keys', colorScheme: 'dark', viewport: WINDOW },
  { file: 'key-created', sample: 'created', colorScheme: 'light', viewport: WINDOW },
  { file: 'key', sample: 'key-busy', colorScheme: 'light', viewport: WINDOW },
  { file: 'overview', sample: 'overview', colorScheme: 'light', viewport: WINDOW },
  { file: 'consent', sample: 'consent', colorScheme: 'light', viewport: { width: 760, height: 1100 } },
  { file: 'keys-phone', sample: 'keys', colorScheme: 'light', viewport: PHONE },
] as const

const folder = join(import.meta.dirname, '../docs/images')
mkdirSync(folder, { recursive: true })
const samples = await startSampleServer()
samples.outcome = { kind: 'served', at: NOW, from: 'claude-code/2.1' }
const browser = await launchChromium()
for (const { file, sample, ...look } of pictures) {
  const page = await browser.newPage({ ...look, deviceScaleFactor: 2, locale: 'en-GB', timezoneId: 'UTC' })
  await page.goto(`${samples.url}/${sample}`)
  if (sample === 'created') await page.locator('.waiting.served').waitFor()
  if (sample === 'consent') await page.locator('button.primary:enabled').waitFor()
  await page.screenshot({ path: join(folder, `${file}.png`) })
  process.stdout.write(`docs/images/${file}.png\n`)
}
await browser.close()
samples.close()
