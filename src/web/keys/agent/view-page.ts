import { STATUS_CODES } from 'node:http'
import type { KeyRecord } from '../../../keys/records.ts'
import { lifeOf } from '../../../keys/state.ts'
import { formatCount } from '../../../lib/format-count.ts'
import { type Html, html, type Part, quoted } from '../../../lib/html.ts'
import type { ApiResponse } from '../../../operation.ts'
import { type Fact, factsList } from '../../layout/facts.ts'
import { type Chrome, csrfField, heading, type Notice, noticeBox, page } from '../../layout/layout.ts'
import { paths } from '../../paths.ts'
import { layOutBody } from './laid-out-json.ts'
import { bodyBox, hiddenTools, instructionsPart, sizeText, tokensText, toolPart } from './parts.ts'
import { type AgentView, sizeOf } from './responses.ts'
import { requestField, type TryChoice } from './try-form.ts'

interface TryModel {
  chrome: Chrome
  key: KeyRecord
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
${noticeBox(stateNotice(model))}
${costs(view)}
<section class="panel agent" aria-labelledby="instructions"><h2 id="instructions">Instructions</h2>${instructionsPart(view)}</section>
${view.tools.map((tool) => html`<section class="panel agent" aria-labelledby="tool-${tool.name}">${toolPart(tool, 'h2')}</section>`)}
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
${factsList(headers, 'headers')}
<h3>Body</h3>
<p class="hint">${sizeText(sizeOf(bytes))}.${shown.isCut && ' Only its beginning is shown.'}${bytes.length > 0 && ' Laid out for reading.'}</p>
${bytes.length > 0 && bodyBox('Body of the response', shown)}</section>
${tryForm(model, 'Try again')}`
  return page(chrome, { title: `Response ${status}`, section: 'keys', body })
}

const backTo = ({ chrome, key }: TryModel) => ({
  href: paths.key(chrome.workspace.slug, key.id),
  text: key.label,
})

const toneOf = (status: number): string => (status < 400 ? 'good' : 'bad')

/** A key that does not work sees nothing. */
function stateNotice({ key, chrome }: TryModel): Notice | null {
  const life = lifeOf(key, Date.parse(chrome.now))
  if (life === 'live') return null
  const why = { paused: 'is paused', expired: 'has expired', revoked: 'was revoked' }[life]
  const text = `This key ${why}: an agent gets 401 and nothing else. Below is what a key with its permissions would see.`
  return { tone: 'neutral', text }
}

/** What each part takes of a model's context. */
function costs(view: AgentView): Html {
  const { instructions, list, tools } = view
  const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`
  const cost = (name: Part, tokens: number, bytes: number | null): Fact => [
    name,
    html`<strong>${tokensText(tokens)}</strong>${bytes !== null && `, ${formatCount(bytes)} bytes`}`,
  ]
  const all = factsList(
    [
      cost('Instructions', instructions.tokens, null),
      cost(`List of ${count}`, list.tokens, list.bytes),
      ...tools.map(({ name, response }) => cost(html`<code>${name}</code>`, response.tokens, response.bytes)),
    ],
    'costs',
  )
  return html`<section class="panel agent" aria-labelledby="costs"><h2 id="costs">What it costs a model to read</h2>
${all}
${hiddenTools(view)}<p class="hint">Tokens are an estimate, at four bytes each: each model counts its own. Bytes are those of the whole response, which holds an answer twice, as text and as structured content.</p></section>`
}

function tryForm({ chrome, key, choices, chosen, form }: TryModel, title: string): Html {
  const note: Part =
    'A real request: it counts in the key’s limit, is recorded as a use by Vitrine-settings, and is in the audit log under your name.'
  return html`<form class="form panel" id="try" method="post" action="${paths.agentView(chrome.workspace.slug, key.id)}" novalidate>${csrfField(chrome)}
<div><h2>${title}</h2><p class="hint">${note}</p></div>
${requestField(choices, chosen, form)}
<div class="buttons"><button class="button primary" data-pending="Sending…">Send request</button></div></form>`
}
