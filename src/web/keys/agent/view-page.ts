import type { ApiResponse } from '../../../api/public-api.ts'
import type { KeyDetail } from '../../../keys/overview.ts'
import { counted, formatCount } from '../../../lib/format-count.ts'
import { STATUS_CODES } from '../../../lib/node-http.ts'
import { clip } from '../../../lib/plain-text.ts'
import { type Html, html, joined, type Part } from '../../html.ts'
import { csrfField } from '../../layout/field.ts'
import { factsList, type Notice, noticeBox, type PageFrame } from '../../layout/page.ts'
import { paths } from '../../paths.ts'
import { keyTabPage } from '../key/tabs.ts'
import { type AgentView, type ArgumentSchema, type ShownBody, type Size, shownBody, sizeOf } from './agent-view.ts'
import { requestField, type TryChoice } from './try-form.ts'

interface TryModel {
  frame: PageFrame
  key: KeyDetail
  choices: readonly TryChoice[]
  chosen: string
  form: URLSearchParams
}

export interface AgentViewModel extends TryModel {
  view: AgentView
}

const ESTIMATE =
  'Tokens are estimated at four bytes each; every model counts differently. Bytes are for the whole response, which contains the data twice: as text and as structured content.'

export function agentViewPage(model: AgentViewModel): string {
  const { frame, key, view } = model
  const body = html`<p class="lead">This preview was read just now, with the key’s permissions. It does not count against the limit, and is not recorded as use. <a href="#try">Try it</a> with a real request.</p>
${noticeBox(stateNotice(model))}
<section class="panel agent" aria-labelledby="instructions"><h2 id="instructions">Instructions</h2><blockquote class="instructions">${view.instructions.text}</blockquote>
<p class="hint">Sent once, when an agent connects: ${tokensText(view.instructions.tokens)}. The tool list is ${sizeText(view.list)}. ${ESTIMATE}</p>
${hiddenTools(view)}</section>
${view.tools.map((tool) => html`<section class="panel agent" aria-labelledby="tool-${tool.name}">${toolPart(tool, 'h2')}</section>`)}
${otherTools(model)}
${tryForm(model, 'Try it')}`
  return keyTabPage(frame, key, 'agent', body)
}

export interface TriedModel extends TryModel {
  response: ApiResponse
}

export function triedPage(model: TriedModel): string {
  const { frame, key, chosen, response } = model
  const { status, headers, body: bytes } = response
  const shown = shownBody(bytes)
  const body = html`<p class="lead">Sent with this key: it counts against the key’s limit, and is in the audit log under your name.</p>
<section class="panel agent" aria-labelledby="response"><h2 id="response" class="status ${status < 400 ? 'good' : 'bad'}">${status} ${STATUS_CODES[status] ?? ''} <code>${chosen}</code></h2>
<h3>Headers</h3>
${factsList(headers, 'headers')}
<h3>Body</h3>
<p class="hint">${sizeText(sizeOf(bytes))}.${shown.isCut && ' It is shortened here.'}${bytes.length > 0 && ' Indented for reading.'}</p>
${bytes.length > 0 && bodyBox('Body of the response', shown)}</section>
${tryForm(model, 'Try again')}`
  return keyTabPage(frame, key, 'agent', body)
}

function stateNotice({ key }: TryModel): Notice | null {
  const { kind } = key.state
  if (kind !== 'paused' && kind !== 'expired' && kind !== 'revoked') return null
  const why = { paused: 'is paused', expired: 'has expired', revoked: 'was revoked' }[kind]
  const text = `This key ${why}: an agent gets 401 and nothing else. Below is what a key with its permissions would see.`
  return { tone: 'neutral', text }
}

function tryForm({ frame, key, choices, chosen, form }: TryModel, title: string): Html {
  return html`<form class="form panel" id="try" method="post" action="${paths.key(frame.workspace.slug, key.id, 'agent')}" novalidate>${csrfField(frame)}
<div><h2>${title}</h2><p class="hint">A real request: it counts against the key’s limit, is recorded as use by Vitrine-settings, and is in the audit log under your name.</p></div>
${requestField(choices, chosen, form)}
<div class="buttons"><button class="button primary" data-pending="Sending…">Send request</button></div></form>`
}

/** Models differ, so more than two digits would be meaningless. */
function tokensText(tokens: number): string {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, tokens))) - 1)
  return `about ${formatCount(Math.round(tokens / step) * step)} tokens`
}

const sizeText = ({ bytes, tokens }: Size): string => `${formatCount(bytes)} bytes, ${tokensText(tokens)}`

const bodyBox = (label: string, { text }: ShownBody): Html =>
  html`<pre class="shown-body" tabindex="0" aria-label="${label}">${colouredJson(text)}</pre>`

/** A member's name with its colon, a string, or a number or literal. A cut text may end within a string. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)|"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g

/** Colours JSON. Names are `<b>`, and values other than strings `<i>`, which costs fewer bytes than classes. */
function colouredJson(text: string): Html {
  const parts: Part[] = []
  let end = 0
  for (const { 0: token, 1: name, 2: colon = '', index } of text.matchAll(TOKEN)) {
    if (name === undefined && token.startsWith('"')) continue
    parts.push(text.slice(end, index), name === undefined ? html`<i>${token}</i>` : html`<b>${name}</b>${colon}`)
    end = index + token.length
  }
  return html`<code class="json">${parts}${text.slice(end)}</code>`
}

type ShownTool = AgentView['tools'][number]

function toolPart({ name, title, description, inputSchema, response }: ShownTool, level: 'h2' | 'h3'): Html {
  return html`<${level} id="tool-${name}">${title} <code>${name}</code></${level}>
<p>${description}</p>
${argumentList(inputSchema.properties ?? {})}
<p class="hint">Its current result${response.shown.isCut && ', shortened'}. The whole response is ${sizeText(response)}.</p>
${bodyBox(`Result of ${name}`, response.shown)}`
}

function argumentList(properties: Record<string, ArgumentSchema>): Part {
  const all = Object.entries(properties)
  if (all.length === 0) return html`<p class="hint">It takes no arguments.</p>`
  return html`<details><summary>${counted(all.length, 'argument')}, all optional</summary>
${factsList(all.map(([name, { description = '' }]) => [html`<code>${name}</code>`, description]))}</details>`
}

function otherTools({ frame, key, view }: AgentViewModel): Part {
  const page = paths.key(frame.workspace.slug, key.id, 'agent')
  return (
    view.others.length > 0 &&
    html`<section class="panel agent" aria-labelledby="others"><h2 id="others">${counted(view.others.length, 'other tool')}</h2>
<p class="hint">It sees these too. Choose one to see its result and to try it.</p>
<ul class="permissions">${view.others.map(({ name, title, description }) => html`<li><p><a href="${page}?tool=${name}#tool-${name}">${title}</a> <code>${name}</code></p><p class="hint">${clip(description, MAX_DESCRIPTION)}</p></li>`)}</ul></section>`
  )
}

const MAX_DESCRIPTION = 120
const MAX_HIDDEN = 5

function hiddenTools({ hidden, tools }: AgentView): Part {
  if (hidden.length === 0) return null
  const what = tools.length === 0 ? 'It sees no tools' : 'Not shown to it'
  const each = joined(
    hidden.map(({ name, permission }) => html`<code>${name}</code>, which needs <code>${permission}</code>`),
  )
  if (hidden.length <= MAX_HIDDEN) return html`<p class="hint">${what}: ${each}.</p>`
  return html`<details class="hint"><summary>${what}: ${counted(hidden.length, 'tool')}</summary><p>${each}.</p></details>`
}

export function previewPart(view: AgentView): Html {
  const { others } = view
  const count = view.tools.length + others.length
  return html`<details class="agent-preview" open><summary>What an agent will see: ${counted(count, 'tool')}, ${sizeText(view.list)}</summary>
${view.tools.map((tool) => html`<section aria-labelledby="tool-${tool.name}">${toolPart(tool, 'h3')}</section>`)}
${others.length > 0 && html`<p class="hint">And ${joined(others.map(({ name }) => html`<code>${name}</code>`))}.</p>`}
${hiddenTools(view)}</details>`
}
