import { STATUS_CODES } from 'node:http'
import type { KeyOverview } from '../../keys/overview.ts'
import { type Html, html, type Part, quoted } from '../../lib/html.ts'
import type { ApiResponse } from '../../operation.ts'
import { type Chrome, csrfField, heading, type Notice, noticeBox, page } from '../layout/layout.ts'
import { paths } from '../paths.ts'
import { type AgentView, sizeOf } from './agent-answers.ts'
import { bodyBox, hiddenTools, instructionsPart, sizeText, toolPart } from './agent-parts.ts'
import { layOutBody } from './laid-out-json.ts'
import { requestField, type TryChoice } from './try-form.ts'

interface TryModel {
  chrome: Chrome
  key: Pick<KeyOverview, 'id' | 'label' | 'state'>
  choices: readonly TryChoice[]
  /** The value of a choice. */
  chosen: string
  /** What was filled in. */
  form: URLSearchParams
}

/** GET …/keys/<id>/agent. */
export interface AgentViewModel extends TryModel {
  view: AgentView
}

const TITLE = 'What an agent sees'

export function agentViewPage(model: AgentViewModel): string {
  const { chrome, key, view } = model
  const lead = html`With the key ${quoted(key.label)}: a preview, read just now with its permissions. It is not counted, and not recorded as a use.`
  const body = html`${heading({ title: TITLE, lead, back: backTo(model), actions: html`<a class="button" href="#try">Try it</a>` })}
${noticeBox(stateNotice(key))}
<section class="panel agent" aria-labelledby="instructions"><h2 id="instructions">Instructions</h2>${instructionsPart(view)}</section>
${view.tools.map((tool) => html`<section class="panel agent" aria-labelledby="tool-${tool.name}">${toolPart(tool, 'h2')}</section>`)}
<section class="panel agent" aria-labelledby="tools"><h2 id="tools">All of its tools</h2><p>The list of ${view.tools.length === 1 ? 'this one tool' : `these ${view.tools.length} tools`} that an agent reads first has ${sizeText(view.list)}.</p>${hiddenTools(view)}
<p class="hint">Tokens are estimated: each model counts its own.</p></section>
${tryForm(model, 'Try it')}`
  return page(chrome, { title: TITLE, section: 'keys', body })
}

/** The answer to POST …/keys/<id>/agent. */
export interface TriedModel extends TryModel {
  response: ApiResponse
}

export function triedPage(model: TriedModel): string {
  const { chrome, key, chosen, response } = model
  const { status, headers, body: bytes } = response
  const shown = layOutBody(bytes)
  const lead = html`Sent with the key ${quoted(key.label)}: counted in its limit, and recorded in the audit log under your name.`
  const body = html`${heading({ title: 'Response', lead, back: { href: paths.agentView(chrome.workspace.slug, key.id), text: TITLE } })}
<section class="panel agent" aria-labelledby="response"><h2 id="response" class="status ${toneOf(status)}">${status} ${STATUS_CODES[status] ?? ''} <code>${chosen}</code></h2>
<h3>Headers</h3>
<dl class="facts-list headers">${headers.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<h3>Body</h3>
<p class="hint">${sizeText(sizeOf(bytes))}.${shown.isCut && ' Only its beginning is shown.'}${bytes.length > 0 && ' Laid out for reading.'}</p>
${bytes.length > 0 && bodyBox('Body of the response', shown)}</section>
${tryForm(model, 'Try again')}`
  return page(chrome, { title: `Response ${status}`, section: 'keys', body })
}

const backTo = ({ chrome }: TryModel) => ({ href: paths.keys(chrome.workspace.slug), text: 'API keys' })

const toneOf = (status: number): string => (status < 400 ? 'good' : 'bad')

/** A key that does not work sees nothing. */
function stateNotice({ state }: Pick<KeyOverview, 'state'>): Notice | null {
  const rest = 'an agent gets 401 and nothing else. Below is what it would see with a key of the same permissions.'
  if (state.kind === 'paused') return { tone: 'neutral', text: `This key is paused: until it is resumed, ${rest}` }
  if (state.kind === 'expired' || state.kind === 'revoked')
    return { tone: 'neutral', text: `This key ${state.kind === 'expired' ? 'has expired' : 'was revoked'}: ${rest}` }
  return null
}

function tryForm({ chrome, key, choices, chosen, form }: TryModel, title: string): Html {
  const note: Part =
    'A real request: it counts in the key’s limit, is recorded as a use by Vitrine-settings, and is in the audit log under your name.'
  return html`<form class="form panel try" id="try" method="post" action="${paths.agentView(chrome.workspace.slug, key.id)}" novalidate>${csrfField(chrome)}
<div><h2>${title}</h2><p class="hint">${note}</p></div>
${requestField(choices, chosen, form)}
<div class="buttons"><button class="button primary">Send request</button></div></form>`
}
