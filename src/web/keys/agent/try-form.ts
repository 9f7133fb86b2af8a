import type { ApiRequest, PublicApi } from '../../../api/public-api.ts'
import type { Resource } from '../../../resources/define.ts'
import { type Html, html, type Part } from '../../html.ts'
import { describe } from '../../layout/field.ts'
import type { ArgumentSchema, ToolDefinition } from './agent-view.ts'

/** A REST path, the list of tools, or a tool with its arguments. */
export interface TryChoice {
  value: string
  title: string
  /** Requests that will be refused are offered too, to show the refusal. */
  isPermitted: boolean
  /** Null for the tools. */
  path: string | null
  /** The resource's tool; null for the list of tools. */
  tool: string | null
  arguments: Record<string, ArgumentSchema>
}

export function tryChoices(
  resources: readonly Resource[],
  tools: readonly ToolDefinition[],
  permissions: readonly string[],
): TryChoice[] {
  const permitted = resources.filter(({ permission }) => permissions.includes(permission)).map(({ tool }) => tool.name)
  const choice = (value: string, title: string, tool: string | null, more: Partial<TryChoice> = {}): TryChoice => {
    const isPermitted = tool === null || permitted.includes(tool)
    return { value, title, tool, isPermitted, path: null, arguments: {}, ...more }
  }
  return [
    ...resources.map(({ path, summary, tool }) => choice(`GET ${path}`, summary, tool.name, { path })),
    choice('tools/list', 'List the tools', null),
    ...tools.map(({ name, title, inputSchema }) =>
      choice(`tools/call ${name}`, title, name, { arguments: inputSchema.properties ?? {} }),
    ),
  ]
}

export function requestOf({ path, tool }: TryChoice, api: PublicApi, args: Record<string, unknown>): ApiRequest {
  if (path !== null) return { method: 'GET', path, headers: { accept: 'application/json' } }
  return tool === null
    ? api.agentRequest('tools/list')
    : api.agentRequest('tools/call', { name: tool, arguments: args })
}

const fieldName = ({ tool }: TryChoice, argument: string) => `${tool}.${argument}`

/** Nothing is validated here: the tool reports errors, as it does to an agent. */
export function argumentsIn(form: URLSearchParams, choice: TryChoice): Record<string, unknown> {
  const args: Record<string, unknown> = {}
  for (const [name, { type, items }] of Object.entries(choice.arguments)) {
    const values = form.getAll(fieldName(choice, name)).filter((value) => value !== '')
    const [first] = values
    if (first === undefined) continue
    // A list without a choice is written into one field.
    if (items !== undefined) args[name] = items.enum === undefined ? first.split(/[\s,]+/).filter(Boolean) : values
    else if (type === 'boolean') args[name] = first === 'true' || (first !== 'false' && first)
    else args[name] = [type].flat().includes('integer') && /^-?\d{1,15}$/.test(first) ? Number(first) : first
  }
  return args
}

export const requestField = (choices: readonly TryChoice[], chosen: string, form: URLSearchParams): Html =>
  html`<fieldset class="field requests"><legend>Request</legend>${choices.map((choice) => {
    const { value, title, isPermitted, arguments: args } = choice
    return html`<div class="request"><label class="choice"><input type="radio" name="request" value="${value}"${value === chosen && html` checked`}><span>${title} <code>${value}</code>${!isPermitted && html` <span class="faint">not permitted</span>`}</span></label>
${Object.keys(args).length > 0 && html`<div class="arguments">${Object.entries(args).map(([name, schema]) => argumentField(choice, name, schema, form))}</div>`}</div>
`
  })}</fieldset>`

function argumentField(choice: TryChoice, name: string, schema: ArgumentSchema, form: URLSearchParams): Html {
  const field = fieldName(choice, name)
  const options = schema.items?.enum
  if (options !== undefined)
    return html`<fieldset class="field options"><legend><code>${name}</code></legend><div class="choices">${options.map(
      (option) =>
        html`<label class="check"><input type="checkbox" name="${field}" value="${option}"${form.getAll(field).includes(option) && html` checked`}>${option}</label>`,
    )}</div><p class="hint">${schema.description ?? ''}</p></fieldset>`
  const { attributes, text } = describe(field, schema.description ?? null, undefined)
  const keyboard: Part = [schema.type].flat().includes('integer') && html` inputmode="numeric"`
  return html`<div class="field"><label for="${field}"><code>${name}</code></label>
<input id="${field}" name="${field}" type="text" value="${form.get(field) ?? ''}" autocomplete="off" dir="auto"${keyboard}${attributes}>${text}</div>`
}
