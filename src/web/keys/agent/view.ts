import type { KeyDetail } from '../../../keys/overview.ts'
import { counted } from '../../../lib/format-count.ts'
import { clip } from '../../../lib/plain-text.ts'
import type { WorkspaceHandler } from '../../context.ts'
import { type Html, html, joined, type Part } from '../../html.ts'
import { factsList, type Notice, noticeBox, type PageFrame } from '../../layout/page.ts'
import { paths } from '../../paths.ts'
import { htmlResponse } from '../../responses.ts'
import { readKey } from '../change.ts'
import { keyTabPage } from '../key/tabs.ts'
import * as agentView from './agent-view.ts'

export const showAgentView: WorkspaceHandler = async (context) => {
  const key = await readKey(context)
  const view = await agentView.readAgentView(context, key, context.request.query.get('tool'))
  return htmlResponse(200, agentViewPage({ frame: context.frame, key, view }))
}

export interface AgentViewModel {
  frame: PageFrame
  key: KeyDetail
  view: agentView.AgentView
}

export function agentViewPage(model: AgentViewModel): string {
  const { frame, key, view } = model
  const body = html`<p class="lead">This preview was read just now, with the key’s permissions. It does not count against the limit, and is not recorded as use.</p>
${noticeBox(stateNotice(model))}
<section class="panel part agent" aria-labelledby="instructions"><h2 id="instructions">Instructions</h2><blockquote class="instructions">${view.instructions}</blockquote>
<p class="hint">Sent once, when an agent connects.</p>
${hiddenTools(view)}</section>
${view.tools.map(toolPart)}
${otherTools(model)}`
  return keyTabPage(frame, key, 'agent', body)
}

function stateNotice({ key }: AgentViewModel): Notice | null {
  const { kind } = key.state
  if (kind !== 'paused' && kind !== 'expired' && kind !== 'revoked') return null
  const why = { paused: 'is paused', expired: 'has expired', revoked: 'was revoked' }[kind]
  const text = `This key ${why}: an agent gets 401 and nothing else. Below is what a key with its permissions would see.`
  return { tone: 'neutral', text }
}

type ShownTool = agentView.AgentView['tools'][number]

function toolPart({ name, title, description, inputSchema, response }: ShownTool): Html {
  return html`<section class="panel part agent" aria-labelledby="tool-${name}"><h2 id="tool-${name}">${title} <code>${name}</code></h2>
<p>${description}</p>
${argumentList(inputSchema.properties ?? {})}
<p class="hint">What it returns now${response.isCut && ', shortened'}:</p>
<pre class="shown-body" tabindex="0" role="region" aria-label="Result of ${name}"><code>${response.text}</code></pre></section>`
}

function argumentList(properties: NonNullable<ShownTool['inputSchema']['properties']>): Part {
  const all = Object.entries(properties)
  if (all.length === 0) return html`<p class="hint">It takes no arguments.</p>`
  return html`<details><summary>${counted(all.length, 'argument')}, all optional</summary>
${factsList(all.map(([name, { description = '' }]) => [html`<code>${name}</code>`, description]))}</details>`
}

function otherTools({ frame, key, view }: AgentViewModel): Part {
  const page = paths.key(frame.workspace.slug, key.id, 'agent')
  return (
    view.others.length > 0 &&
    html`<section class="panel part agent" aria-labelledby="others"><h2 id="others">${counted(view.others.length, 'other tool')}</h2>
<p class="hint">It sees these too. Choose one to see its result.</p>
<ul class="permissions">${view.others.map(({ name, title, description }) => html`<li><p><a href="${page}?tool=${name}#tool-${name}">${title}</a> <code>${name}</code></p><p class="hint">${clip(description, MAX_DESCRIPTION)}</p></li>`)}</ul></section>`
  )
}

const MAX_DESCRIPTION = 120

function hiddenTools({ hidden, tools }: agentView.AgentView): Part {
  if (hidden.length === 0) return null
  const what = tools.length === 0 ? 'It sees no tools' : 'Not shown to it'
  const each = joined(
    hidden.map(({ name, permission }) => html`<code>${name}</code>, which needs <code>${permission}</code>`),
  )
  return html`<p class="hint">${what}: ${each}.</p>`
}
