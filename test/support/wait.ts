import { setTimeout as delay } from 'node:timers/promises'

/** Polls until the condition holds; fails with the message before the test's own timeout does. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  { message = 'the condition did not hold', everyMs = 20, timeoutMs = 120_000 } = {},
): Promise<void> {
  const endsAt = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > endsAt) throw new Error(`${message} within ${timeoutMs / 1000} s`)
    await delay(everyMs)
  }
}

/** All that streams have carried so far, as one text. */
export function gather(...streams: (NodeJS.ReadableStream | null)[]): () => string {
  let text = ''
  for (const stream of streams)
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  return () => text
}
