import type { ApiRequest, ApiResponse } from '../../../api/public-api.ts'
import type { KeyDetail } from '../../../keys/overview.ts'
import { hashOfKey } from '../../../keys/records.ts'
import { counted, formatCount } from '../../../lib/format-count.ts'
import { STATUS_CODES } from '../../../lib/node-http.ts'
import { clip } from '../../../lib/plain-text.ts'
import { redactTokens } from '../../../lib/redact.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../../context.ts'
import { incompleteForm } from '../../form.ts'
import { type Html, html, joined, type Part } from '../../html.ts'
import { csrfField } from '../../layout/field.ts'
import { factsList, type Notice, noticeBox, type PageFrame } from '../../layout/page.ts'
import { paths } from '../../paths.ts'
import { htmlResponse } from '../../responses.ts'
import { changeKey, readKey } from '../change.ts'
import { keyTabPage } from '../key/tabs.ts'
import * as agentView from './agent-view.ts'
import { argumentsIn, requestField, requestOf, type TryChoice, tryChoices } from './try-form.ts'

/** The User-Agent distinguishes these requests from those of the key's holder. */
const AGENT = 'Vitrine-settings'

export const showAgentView: WorkspaceHandler = async (context) => {
  const key = await readKey(context)
  const form = context.draft ?? new URLSearchParams()
  const asked = context.request.query.get('tool') ?? toolOf(context, form)
  const view = await agentView.readAgentView(context, key.permissions, asked)
  const choices = await readChoices(context, key, asked)
  // The last path is the list that is shown.
  const example = choices.findLast(({ path, isPermitted }) => isPermitted && path !== null)
  const chosen = form.get('request') ?? example?.value ?? ''
  return htmlResponse(200, agentViewPage({ frame: context.frame, key, view, choices, chosen, form }))
}

export const tryKey: WorkspaceHandler = async (context, form) => {
  const key = await readKey(context)
  const choices = await readChoices(context, key, toolOf(context, form))
  const choice = choices.find(({ value }) => value === form.get('request'))
  if (choice === undefined) throw incompleteForm('Choose what to request.')
  const args = argumentsIn(form, choice)
  const request = requestOf(choice, context.publicApi, args)
  const response = await performAudited(context, request, `${choice.value}${argumentsText(args)}`)
  const shownForm = new URLSearchParams([...form].map(([name, value]): [string, string] => [name, redactTokens(value)]))
  const model = { frame: context.frame, key, choices, chosen: choice.value, form: shownForm, response }
  return htmlResponse(200, triedPage(model))
}

const argumentsText = (args: Record<string, unknown>): string =>
  Object.keys(args).length === 0 ? '' : ` ${JSON.stringify(args)}`

/** The request may take long, so no transaction is open meanwhile. Its response is shown only if it could be recorded. */
async function performAudited(context: WorkspaceContext, request: ApiRequest, text: string): Promise<ApiResponse> {
  const caller = { address: context.request.caller.address, agent: AGENT }
  // Checks the role as well.
  const hash = await changeKey(context, (_keys, key, tx) => hashOfKey(tx, key))
  const response = await context.publicApi.perform(hash, request, caller)
  await changeKey(context, (keys, key) => keys.recordAttempt(key, text, response.status))
  return response
}

/** The tool of the resource that the form requests. */
function toolOf({ resources }: WorkspaceContext, form: URLSearchParams): string | null {
  const request = form.get('request')
  const asked = resources.find(({ path, tool }) => request === `GET ${path}` || request === `tools/call ${tool.name}`)
  return asked?.tool.name ?? null
}

/** The form has the arguments of the list that the page shows. */
async function readChoices(context: WorkspaceContext, { permissions }: KeyDetail, asked: string | null) {
  const tools = agentView.shownTools(context.resources, permissions, asked)
  const all = tryChoices(context.resources, await agentView.readAllTools(context), permissions)
  return all.filter(({ tool }) => tool === null || tools.includes(tool))
}

interface TryModel {
  frame: PageFrame
  key: KeyDetail
  choices: readonly TryChoice[]
  chosen: string
  form: URLSearchParams
}

export interface AgentViewModel extends TryModel {
  view: agentView.AgentView
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
  const shown = agentView.shownBody(bytes)
  const body = html`<p class="lead">Sent with this key: it counts against the key’s limit, and is in the audit log under your name.</p>
<section class="panel agent" aria-labelledby="response"><h2 id="response" class="status ${status < 400 ? 'good' : 'bad'}">${status} ${STATUS_CODES[status] ?? ''} <code>${chosen}</code></h2>
<h3>Headers</h3>
${factsList(headers, 'headers')}
<h3>Body</h3>
<p class="hint">${sizeText(agentView.sizeOf(bytes))}.${shown.isCut && ' It is shortened here.'}${bytes.length > 0 && ' Indented for reading.'}</p>
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

const sizeText = ({ bytes, tokens }: agentView.Size): string => `${formatCount(bytes)} bytes, ${tokensText(tokens)}`

const bodyBox = (label: string, { text }: agentView.ShownBody): Html =>
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

type ShownTool = agentView.AgentView['tools'][number]

function toolPart({ name, title, description, inputSchema, response }: ShownTool, level: 'h2' | 'h3'): Html {
  return html`<${level} id="tool-${name}">${title} <code>${name}</code></${level}>
<p>${description}</p>
${argumentList(inputSchema.properties ?? {})}
<p class="hint">Its current result${response.shown.isCut && ', shortened'}. The whole response is ${sizeText(response)}.</p>
${bodyBox(`Result of ${name}`, response.shown)}`
}

function argumentList(properties: Record<string, agentView.ArgumentSchema>): Part {
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

function hiddenTools({ hidden, tools }: agentView.AgentView): Part {
  if (hidden.length === 0) return null
  const what = tools.length === 0 ? 'It sees no tools' : 'Not shown to it'
  const each = joined(
    hidden.map(({ name, permission }) => html`<code>${name}</code>, which needs <code>${permission}</code>`),
  )
  if (hidden.length <= MAX_HIDDEN) return html`<p class="hint">${what}: ${each}.</p>`
  return html`<details class="hint"><summary>${what}: ${counted(hidden.length, 'tool')}</summary><p>${each}.</p></details>`
}

export function previewPart(view: agentView.AgentView): Html {
  const { others } = view
  const count = view.tools.length + others.length
  return html`<details class="agent-preview" open><summary>What an agent will see: ${counted(count, 'tool')}, ${sizeText(view.list)}</summary>
${view.tools.map((tool) => html`<section aria-labelledby="tool-${tool.name}">${toolPart(tool, 'h3')}</section>`)}
${others.length > 0 && html`<p class="hint">And ${joined(others.map(({ name }) => html`<code>${name}</code>`))}.</p>`}
${hiddenTools(view)}</details>`
}
