import { html } from '../lib/html.ts'
import type { Page } from '../operation.ts'
import { catalogue, type ProblemCode } from '../problems/catalogue.ts'
import { ProblemError } from '../problems/problem.ts'
import { jsonAnswer } from './answers.ts'

const PREFIX = '/problems/'

/** What a problem's `type` links to: a short page for people, the same as JSON for programs. */
export const problemPages: Page = {
  matches: (path) => path.startsWith(PREFIX),
  async answer(request) {
    const code = request.path.slice(PREFIX.length)
    if (!Object.hasOwn(catalogue, code)) throw new ProblemError('not_found', 'There is no problem of this code.')
    const entry = { code, ...catalogue[code as ProblemCode] }
    if (!request.header('accept')?.includes('text/html')) return jsonAnswer(200, entry)
    return {
      status: 200,
      headers: [
        'Content-Type',
        'text/html; charset=utf-8',
        'Content-Security-Policy',
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        'X-Content-Type-Options',
        'nosniff',
        'Cache-Control',
        'no-store',
        'Vary',
        'Accept',
      ],
      body: [Buffer.from(problemPage(entry))],
    }
  },
}

const problemPage = (entry: { code: string; status: number; title: string; meaning: string; hint: string }): string =>
  html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${entry.code} · Vitrine</title>
<style>
  :root { color-scheme: light dark }
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 38rem; margin: 12vh auto; padding: 0 1.25rem }
  h1 { font-size: 1.6rem; line-height: 1.25; margin: .25rem 0 1.5rem }
  h2 { font-size: 1rem; margin: 1.5rem 0 .25rem }
  p { margin: 0 }
  code { font: .9em ui-monospace, monospace; opacity: .75 }
</style>
<main>
  <code>${entry.status} ${entry.code}</code>
  <h1>${entry.title}</h1>
  <h2>What happened</h2>
  <p>${entry.meaning}</p>
  <h2>What to do</h2>
  <p>${entry.hint}</p>
</main>
</html>
`.text
