import { type Html, html } from '../../../lib/html.ts'
import type { WorkspaceContext } from '../../context.ts'
import { hiddenTools, sizeText, toolPart } from './parts.ts'
import { type AgentView, readAgentView } from './responses.ts'

/** What an agent will see with a key of these permissions, before there is one; for the form that creates it. */
export const agentPreview = async (context: WorkspaceContext, permissions: readonly string[]): Promise<Html> =>
  previewPart(await readAgentView(context, permissions))

export function previewPart(view: AgentView): Html {
  const { length } = view.tools
  return html`<details class="agent-preview" open><summary>What an agent will see: ${length} ${length === 1 ? 'tool' : 'tools'}, ${sizeText(view.list)}</summary>
${view.tools.map((tool) => html`<section aria-labelledby="tool-${tool.name}">${toolPart(tool, 'h3')}</section>`)}
${hiddenTools(view)}</details>`
}
