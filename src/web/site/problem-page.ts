import { html } from '../../lib/html.ts'
import { catalogue, type ProblemCode, problemCodes } from '../../problems/catalogue.ts'
import type { Frame } from './frame.ts'
import { scrollable } from './markdown.ts'
import { sitePaths } from './paths.ts'
import { fixesOf } from './problem-fixes.ts'

/** What a problem's `type` leads a person to. */
export function problemPage(frame: Frame, code: ProblemCode, hasSettings: boolean): string {
  const { status, title, meaning, hint } = catalogue[code]
  const fixes = fixesOf(code, hasSettings).map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)
  const body = html`<article class="article"><p class="crumbs"><a href="${sitePaths.problems}">Problems</a></p>
<h1>${title}</h1>
<p class="lead"><code>${status} ${code}</code></p>
<h2>What happened</h2>
<p>${meaning}</p>
<h2>What to do</h2>
<p>${hint}</p>
<h2>Where to go from here</h2>
<ul>${fixes}</ul></article>`
  return frame({ title: code, part: 'problems', body })
}

export function problemsPage(frame: Frame): string {
  const rows = problemCodes.map((code) => {
    const { status, title } = catalogue[code]
    return html`<tr><td>${status}</td><td><a href="${sitePaths.problem(code)}"><code>${code}</code></a></td><td>${title}</td></tr>`
  })
  const body = html`<div class="article"><h1>Problems</h1>
<p class="lead">Every error has one of these codes. Codes are never renamed or removed.</p>
<p>An error is an RFC 9457 problem. On <code>/v2/mcp</code>, what fails in the protocol of 2026-07-28 is a JSON-RPC error instead, and the members of the problem are in its <code>error.data</code>.</p>
${scrollable(html`<table><thead><tr><th scope="col">status</th><th scope="col">code</th><th scope="col">what happened</th></tr></thead><tbody>${rows}</tbody></table>`)}</div>`
  return frame({ title: 'Problems', part: 'problems', body })
}
