import { describeAxe, looks } from '../support/axe-suite.ts'
import { describeFit } from '../support/fit-suite.ts'

describeAxe('every page passes axe’s checks, on a desktop in light and on a phone in dark colours', {
  looksOf: () => looks,
})

describeFit('every page fits its window at every width', [320, 390, 640, 768, 900, 1024, 1100, 1180, 1280, 1440])
