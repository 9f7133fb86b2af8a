import { setTimeout as delay } from 'node:timers/promises'

/** Asks again and again until it is so; what never comes to be fails with the message, before the test's own timeout. */
export async function waitUntil(
  isSo: () => boolean | Promise<boolean>,
  { message = 'it never came to be', everyMs = 20, timeoutMs = 120_000 } = {},
): Promise<void> {
  const endsAt = performance.now() + timeoutMs
  while (!(await isSo())) {
    if (performance.now() > endsAt) throw new Error(`${message} within ${timeoutMs / 1000} s`)
    await delay(everyMs)
  }
}
