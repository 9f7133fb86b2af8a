import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { chromium } from 'playwright-core'

/** The first needs half the processor's time of the others. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

export const chromiumPath: string | undefined = [process.env.CHROMIUM_PATH, ...PLACES].find(
  (path) => path !== undefined && path !== '' && existsSync(path),
)

const DISABLED_FEATURES = [
  // Each window would render the address bar's suggestions in a separate process, invisibly.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  // Each navigation, also within a site, would build a new frame: a fifth of a page's time.
  'RenderDocument',
  // Playwright's own, since of two lists Chromium takes the last: what concerns its protocol, then calls to other hosts.
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'PaintHolding',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]

export function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error(`no Chromium: set CHROMIUM_PATH, or install it at ${PLACES[1]}`)
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox', // Chromium's sandbox refuses root, which containers often are; only our own pages are loaded.
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // No test leaves the machine, also where it could.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      `--disable-features=${DISABLED_FEATURES.join(',')}`,
    ],
  })
}
