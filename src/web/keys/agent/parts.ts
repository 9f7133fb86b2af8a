import { formatCount } from '../../../lib/format-count.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { factsList } from '../../layout/facts.ts'
import type { LaidOut } from './laid-out-json.ts'
import type { AgentView, ArgumentSchema, Size } from './responses.ts'

/** "about 11,000 tokens": models differ, so more digits would say nothing. */
export function tokensText(tokens: number): string {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, tokens))) - 1)
  return `about ${formatCount(Math.round(tokens / step) * step)} tokens`
}

export const sizeText = ({ bytes, tokens }: Size): string => `${formatCount(bytes)} bytes, ${tokensText(tokens)}`

/** Other people's words, which stay text. */
export const bodyBox = (label: string, { text }: LaidOut): Html =>
  html`<pre class="answer" tabindex="0" aria-label="${label}"><code>${text}</code></pre>`

export const instructionsPart = ({ instructions }: AgentView): Html =>
  html`<blockquote class="instructions">${instructions.text}</blockquote>
<p class="hint">Sent once, when an agent connects.</p>`

type ShownTool = AgentView['tools'][number]

/** What `tools/list` and a call without arguments answer for one tool. `level` is that of its heading. */
export function toolPart({ name, title, description, inputSchema, response }: ShownTool, level: 'h2' | 'h3'): Html {
  const heading = html`${title} <code>${name}</code>`
  const id = `tool-${name}`
  return html`${level === 'h2' ? html`<h2 id="${id}">${heading}</h2>` : html`<h3 id="${id}">${heading}</h3>`}
<p>${description}</p>
${argumentList(inputSchema.properties ?? {})}
<p class="hint">Its answer at this moment${response.shown.isCut && ', the beginning'}. The whole response has ${sizeText(response)}.</p>
${bodyBox(`Answer of ${name}`, response.shown)}`
}

function argumentList(properties: Record<string, ArgumentSchema>): Part {
  const all = Object.entries(properties)
  if (all.length === 0) return html`<p class="hint">It takes no arguments.</p>`
  return html`<details><summary>${all.length} ${all.length === 1 ? 'argument' : 'arguments'}, all optional</summary>
${factsList(all.map(([name, { description = '' }]) => [html`<code>${name}</code>`, description]))}</details>`
}

/** Null if it sees all of them. */
export const hiddenTools = ({ hidden, tools }: AgentView): Part =>
  hidden.length > 0 &&
  html`<p class="hint">${tools.length === 0 ? 'It sees no tools' : 'Not shown to it'}: ${hidden.map(
    ({ name, permission }, index) =>
      html`${index > 0 && ', '}<code>${name}</code>, which needs <code>${permission}</code>`,
  )}.</p>`
