import { clip, showHidden } from '../../lib/plain-text.ts'
import { redactTokens } from '../../lib/redact.ts'

const MAX_SHOWN_CHARACTERS = 240
/** Secrets are removed before the text is cut, since a part of one is not recognised; this much of it is looked at. */
const MAX_READ_CHARACTERS = 10_000

/**
 * What a server sent, fit for a terminal, a log and XML. It may have been written to mislead, or repeat the key: control
 * characters, invisible ones and whatever looks like a key are replaced.
 */
export const shown = (text: string): string =>
  showHidden(clip(redactTokens(text.slice(0, MAX_READ_CHARACTERS)), MAX_SHOWN_CHARACTERS).toWellFormed()).replace(
    /[\p{Cc}\p{Zl}\p{Zp}\uFFFE\uFFFF]/gu,
    '\uFFFD',
  )
