import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { spec, type TestEvent } from 'node:test/reporters'

/** One line for each file that the runner starts, with what it skipped and why; failures in full; the runner's own summary last. */
export default async function* summarize(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const text of Readable.from(condense(events)).pipe(spec())) yield String(text)
}

async function* condense(events: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  const reasonsByFile = new Map<string, string[]>()
  const totals: TestEvent[] = []
  for await (const event of events) {
    const { type, data } = event
    if (type === 'test:pass' && typeof data.skip === 'string')
      reasonsByFile.set(fileOf(data), [...(reasonsByFile.get(fileOf(data)) ?? []), data.skip])
    if (type === 'test:summary' && data.file !== undefined) {
      const message = lineOf(data, reasonsByFile.get(fileOf(data)) ?? [])
      yield { type: 'test:stdout', data: { file: data.file, message } }
    }
    if (type === 'test:fail' || type === 'test:stdout' || type === 'test:stderr') yield event
    // Without a file, these are the runner's own.
    if (type === 'test:diagnostic' && data.file === undefined) totals.push(event)
    else if (type === 'test:diagnostic') yield event
    // Lists the failures.
    if (type === 'test:summary' && data.file === undefined) yield event
  }
  yield* totals
}

/** The file that the runner started, which may have imported the one with the test. */
const fileOf = (data: { file?: string | undefined; entryFile?: string }): string => data.entryFile ?? data.file ?? ''

type Summary = Extract<TestEvent, { type: 'test:summary' }>['data']

function lineOf({ file = '', success, duration_ms, counts }: Summary, skips: readonly string[]): string {
  const { tests, passed, skipped, todo } = counts
  const failed = tests - passed - skipped - todo
  const parts = [`${tests} tests`, failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`]
  const reasons = [...new Set(skips)].map((reason) => `  skipped: ${reason}\n`)
  const seconds = Math.round(duration_ms / 1000)
  return `${success ? '✔' : '✖'} ${basename(file, '.test.ts')}: ${parts.filter(Boolean).join(', ')}, ${seconds} s\n${reasons.join('')}`
}
