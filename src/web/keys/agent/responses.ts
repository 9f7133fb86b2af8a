import { formatCount } from '../../../lib/format-count.ts'
import type { PreviewAccess } from '../../../operation.ts'
import { findWorkspace } from '../../../resources/workspace/records.ts'
import type { WorkspaceContext } from '../../context.ts'

/** As `tools/list` gives it. */
export interface ToolDefinition {
  name: string
  title: string
  description: string
  inputSchema: { properties?: Record<string, ArgumentSchema> }
}

export interface ArgumentSchema {
  type?: string | string[]
  description?: string
  items?: { enum?: string[] }
}

/** Bytes on the wire, and an estimate of how many tokens a model reads of them. */
export interface Size {
  bytes: number
  tokens: number
}

/** What an agent with some permissions sees. */
export interface AgentView {
  instructions: { text: string; tokens: number }
  list: Size
  tools: (ToolDefinition & { response: Size & { shown: ShownBody } })[]
  /** Tools that it does not see, and what each needs. */
  hidden: { name: string; permission: string }[]
}

type Ask = (method: string, params?: Record<string, unknown>) => Promise<Buffer>

/** Asks as an agent with these permissions would, without a key: nothing is counted or recorded. */
async function asAgent(context: WorkspaceContext, permissions: readonly string[]): Promise<Ask> {
  const { publicApi, store, workspace, nowMs } = context
  const found = await store.read((tx) => findWorkspace(tx, workspace.slug))
  const access: PreviewAccess = {
    workspaceId: workspace.workspaceId,
    available: found !== undefined && found.archivedAt === null,
    now: nowMs,
    permissions,
  }
  return async (method, params) => (await publicApi.preview(access, publicApi.agentRequest(method, params))).body
}

export async function readAgentView(context: WorkspaceContext, permissions: readonly string[]): Promise<AgentView> {
  const ask = await asAgent(context, permissions)
  const { instructions } = resultIn(await ask('server/discover')) as { instructions: string }
  const list = await ask('tools/list')
  const tools: AgentView['tools'] = []
  for (const tool of toolsIn(list)) {
    const body = await ask('tools/call', { name: tool.name, arguments: {} })
    const shown = shownBody(Buffer.from(modelTextIn(resultIn(body)) ?? body))
    tools.push({ ...tool, response: { ...sizeOf(body), shown } })
  }
  return {
    instructions: { text: instructions, tokens: estimatedTokens(Buffer.byteLength(instructions)) },
    list: sizeOf(list),
    tools,
    hidden: context.resources
      .filter(({ permission }) => !permissions.includes(permission))
      .map(({ tool, permission }) => ({ name: tool.name, permission })),
  }
}

/** Every tool there is, for a form that offers them all. */
export async function readAllTools(context: WorkspaceContext): Promise<ToolDefinition[]> {
  const all = context.resources.map(({ permission }) => permission)
  return toolsIn(await (await asAgent(context, all))('tools/list'))
}

const resultIn = (body: Buffer): unknown => (parsedBody(body) as { result?: unknown } | undefined)?.result

const toolsIn = (body: Buffer): ToolDefinition[] => (resultIn(body) as { tools: ToolDefinition[] }).tools

/** The text of a tool's result, which is for the model. */
const modelTextIn = (result: unknown): string | undefined =>
  (result as { content?: { text?: string }[] } | undefined)?.content?.[0]?.text

/** English and JSON have about four bytes in a token. Vocabularies of models differ, so none is shipped to count them. */
const BYTES_PER_TOKEN = 4
const estimatedTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN)

/** A model reads the text of a tool's result, or the result of another method; of REST, the whole body. */
export function sizeOf(body: Buffer): Size {
  const result = resultIn(body)
  const text = result === undefined ? body : (modelTextIn(result) ?? JSON.stringify(result))
  return { bytes: body.length, tokens: estimatedTokens(Buffer.byteLength(text)) }
}

/** A body as people read it. */
export interface ShownBody {
  text: string
  /** Whether anything was left out. */
  isCut: boolean
}

/** Of what is shown, in characters: a page stays under 60 KB even if each of them is escaped. */
const MAX_SHOWN = 8000
/** A larger body is shown as it begins: parsing all of it would delay other people's requests. */
const MAX_PARSED_BYTES = 1024 * 1024
const MAX_ITEMS = 10
const MAX_TEXT = 300

/** The value of a body in JSON; undefined if it is not JSON, or too large to parse here. */
function parsedBody(body: Buffer): unknown {
  if (body.length > MAX_PARSED_BYTES) return undefined
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

/** JSON is indented. Long lists and texts are cut, and end with how much is missing. */
export function shownBody(body: Buffer): ShownBody {
  let isCut = false
  const shorten = (_: string, value: unknown) => {
    if (Array.isArray(value) && value.length > MAX_ITEMS) {
      isCut = true
      return [...value.slice(0, MAX_ITEMS), `… ${formatCount(value.length - MAX_ITEMS)} more`]
    }
    if (typeof value !== 'string' || value.length <= MAX_TEXT) return value
    isCut = true
    return `${value.slice(0, MAX_TEXT).toWellFormed()} … ${formatCount(value.length - MAX_TEXT)} more characters`
  }
  const value = parsedBody(body)
  if (value === undefined) return { text: body.subarray(0, MAX_SHOWN).toString(), isCut: body.length > MAX_SHOWN }
  const text = JSON.stringify(value, shorten, 2)
  if (text.length <= MAX_SHOWN) return { text, isCut }
  return { text: `${text.slice(0, MAX_SHOWN).toWellFormed()}\n…`, isCut: true }
}
