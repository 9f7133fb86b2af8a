import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { headerOf, type RawResponse } from './exchange.ts'
import type { ServerProgram } from './server.ts'

const PROGRAM = join(import.meta.dirname, 'bare-server.mjs')

/** node:http writes these itself. */
const OWN_HEADERS = new Set(['date', 'connection', 'keep-alive'])

/** The baseline: a program that sends a response of Vitrine's again, headers and bytes, and does nothing else. */
export function bareProgram(
  recorded: RawResponse,
  probe: Buffer,
  folder: string,
  { name = 'bare', readsBody = false } = {},
): ServerProgram {
  const path = join(folder, `bare-answer-${crypto.randomUUID()}.json`)
  const keepAliveSeconds = Number(/timeout=(\d+)/.exec(headerOf(recorded, 'keep-alive') ?? '')?.[1] ?? 5)
  const response = {
    status: recorded.status,
    headers: recorded.headers.filter(([header]) => !OWN_HEADERS.has(header.toLowerCase())).flat(),
    bodyBase64: recorded.body.toString('base64'),
    keepAliveTimeoutMs: keepAliveSeconds * 1000,
    readsBody,
  }
  writeFileSync(path, JSON.stringify(response))
  return { name, command: [process.execPath, PROGRAM], env: { BENCH_RESPONSE: path }, probe }
}
