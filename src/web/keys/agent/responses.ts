import type { PreviewAccess } from '../../../operation.ts'
import { findWorkspace } from '../../../resources/workspace/records.ts'
import type { WorkspaceContext } from '../../context.ts'
import { type LaidOut, layOutBody, parsedBody } from './laid-out-json.ts'

/** As `tools/list` answers it. */
export interface ToolDefinition {
  name: string
  title: string
  description: string
  inputSchema: { properties?: Record<string, ArgumentSchema> }
}

export interface ArgumentSchema {
  type?: string | string[]
  description?: string
  minimum?: number
  maximum?: number
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
  tools: (ToolDefinition & { response: Size & { shown: LaidOut } })[]
  /** Tools that it does not see, and what each needs. */
  hidden: { name: string; permission: string }[]
}

/** Reads it as a key's requests would, without one: nothing is counted or recorded. */
export async function readAgentView(context: WorkspaceContext, permissions: readonly string[]): Promise<AgentView> {
  const { publicApi, resources } = context
  const access = await accessOf(context, permissions)
  const ask = (method: string, params?: Record<string, unknown>) =>
    publicApi.preview(access, publicApi.agentRequest(method, params)).then(({ body }) => body)
  const { instructions } = resultIn(await ask('server/discover')) as { instructions: string }
  const list = await ask('tools/list')
  const tools: AgentView['tools'] = []
  for (const tool of toolsIn(list)) tools.push({ ...tool, response: await readResponse(tool, ask) })
  return {
    instructions: { text: instructions, tokens: estimatedTokens(Buffer.byteLength(instructions)) },
    list: sizeOf(list),
    tools,
    hidden: resources
      .filter(({ permission }) => !permissions.includes(permission))
      .map(({ tool, permission }) => ({ name: tool.name, permission })),
  }
}

/** Every tool there is, for a form that offers them all. */
export async function readAllTools(context: WorkspaceContext): Promise<ToolDefinition[]> {
  const { publicApi, resources } = context
  const access = await accessOf(
    context,
    resources.map(({ permission }) => permission),
  )
  return toolsIn((await publicApi.preview(access, publicApi.agentRequest('tools/list'))).body)
}

async function accessOf(
  { store, workspace, nowMs }: WorkspaceContext,
  permissions: readonly string[],
): Promise<PreviewAccess> {
  const found = await store.read((tx) => findWorkspace(tx, workspace.slug))
  return {
    workspaceId: workspace.workspaceId,
    available: found !== undefined && found.archivedAt === null,
    now: nowMs,
    permissions,
  }
}

type Ask = (method: string, params?: Record<string, unknown>) => Promise<Buffer>

async function readResponse({ name }: ToolDefinition, ask: Ask): Promise<Size & { shown: LaidOut }> {
  const whole = await ask('tools/call', { name, arguments: {} })
  return { ...sizeOf(whole), shown: shownResponse(whole) }
}

const resultIn = (body: Buffer): unknown => (parsedBody(body) as { result?: unknown } | undefined)?.result

const toolsIn = (body: Buffer): ToolDefinition[] => (resultIn(body) as { tools: ToolDefinition[] }).tools

/** The text that is for the model: that of a tool's answer. */
const modelTextIn = (result: unknown): string | undefined =>
  (result as { content?: { text?: string }[] } | undefined)?.content?.[0]?.text

function shownResponse(body: Buffer): LaidOut {
  const text = modelTextIn(resultIn(body))
  return text === undefined ? layOutBody(body) : layOutBody(Buffer.from(text))
}

/** English and JSON have about four bytes in a token. Vocabularies of models differ, so none is shipped to count them. */
const BYTES_PER_TOKEN = 4
const estimatedTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN)

/** A model reads the text of a tool's result, or the result of another method; of REST, the whole body. */
export function sizeOf(body: Buffer): Size {
  const result = resultIn(body)
  const text = result === undefined ? body : (modelTextIn(result) ?? JSON.stringify(result))
  return { bytes: body.length, tokens: estimatedTokens(Buffer.byteLength(text)) }
}
