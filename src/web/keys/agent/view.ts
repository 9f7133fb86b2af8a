import type { ApiRequest, ApiResponse } from '../../../api/public-api.ts'
import type { KeyDetail } from '../../../keys/overview.ts'
import { hashOfKey } from '../../../keys/records.ts'
import { redactTokens } from '../../../lib/redact.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../../context.ts'
import { incompleteForm } from '../../form.ts'
import { htmlResponse } from '../../responses.ts'
import { changeKey, readKey } from '../change.ts'
import { readAgentView, readAllTools, shownTools } from './agent-view.ts'
import { argumentsIn, requestOf, tryChoices } from './try-form.ts'
import { agentViewPage, triedPage } from './view-page.ts'

/** The User-Agent distinguishes these requests from those of the key's holder. */
const AGENT = 'Vitrine-settings'

export const showAgentView: WorkspaceHandler = async (context) => {
  const key = await readKey(context)
  const form = context.draft ?? new URLSearchParams()
  const asked = context.request.query.get('tool') ?? toolOf(context, form)
  const view = await readAgentView(context, key.permissions, asked)
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
  const tools = shownTools(context.resources, permissions, asked)
  const all = tryChoices(context.resources, await readAllTools(context), permissions)
  return all.filter(({ tool }) => tool === null || tools.includes(tool))
}
