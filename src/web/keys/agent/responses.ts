import { formatCount } from '../../../lib/format-count.ts'
import type { PreviewAccess } from '../../../operation.ts'
import { findWorkspace } from '../../../resources/workspace/records.ts'
import type { WorkspaceContext } from '../../context.ts'

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

/** A body as people read it. */
export interface LaidOut {
  text: string
  /** Whether anything was left out. */
  isCut: boolean
}

/** Of what is shown, in characters: a page stays under 60 KB even if each of them is escaped. */
const MAX_SHOWN = 8000
/** A larger body is shown as it begins: parsing all of it would delay the requests of others. */
const MAX_PARSED_BYTES = 1024 * 1024
const MAX_ITEMS = 10
const MAX_TEXT = 300
const MAX_NAME = 40

/** The value of a body in JSON; undefined if it is none, or too large to parse here. */
export function parsedBody(body: Buffer): unknown {
  if (body.length > MAX_PARSED_BYTES) return undefined
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

export function layOutBody(body: Buffer): LaidOut {
  const value = parsedBody(body)
  if (value !== undefined) return layOutJson(value)
  return { text: body.subarray(0, MAX_SHOWN).toString(), isCut: body.length > MAX_SHOWN }
}

/** Indented. Long lists and texts are cut, and say how much is missing. */
export function layOutJson(value: unknown): LaidOut {
  const writer = new Writer()
  writer.write(value, '\n')
  const { text, isCut } = writer
  return text.length > MAX_SHOWN
    ? { text: `${text.slice(0, MAX_SHOWN).toWellFormed()}\n…`, isCut: true }
    : { text, isCut }
}

class Writer {
  text = ''
  isCut = false

  /** `newLine` is the line break with the indentation of the value. */
  write(value: unknown, newLine: string): void {
    if (this.text.length > MAX_SHOWN) return
    if (typeof value === 'string') this.#writeText(value)
    else if (isShortList(value)) this.text += `[${value.map((item) => JSON.stringify(item)).join(', ')}]`
    else if (Array.isArray(value))
      this.#writeAll(
        '[]',
        value.map((item) => ['', item]),
        newLine,
      )
    else if (typeof value === 'object' && value !== null)
      this.#writeAll(
        '{}',
        Object.entries(value).map(([name, member]) => [`${JSON.stringify(name)}: `, member]),
        newLine,
      )
    else this.text += JSON.stringify(value)
  }

  #writeText(value: string): void {
    const missing = value.length - MAX_TEXT
    if (missing <= 0) {
      this.text += JSON.stringify(value)
      return
    }
    this.text += `${JSON.stringify(value.slice(0, MAX_TEXT).toWellFormed())} … ${formatCount(missing)} more characters`
    this.isCut = true
  }

  #writeAll(
    [open, close]: string,
    parts: readonly (readonly [start: string, value: unknown])[],
    newLine: string,
  ): void {
    // An object of many members is cut by its length alone.
    const shown = open === '[' ? parts.slice(0, MAX_ITEMS) : parts
    const deeper = `${newLine}  `
    this.text += open
    shown.forEach(([start, value], index) => {
      if (this.text.length > MAX_SHOWN) return
      this.text += `${index > 0 ? ',' : ''}${deeper}${start}`
      this.write(value, deeper)
    })
    const missing = parts.length - shown.length
    if (missing > 0) this.text += `,${deeper}… ${formatCount(missing)} more`
    this.isCut ||= missing > 0
    this.text += `${parts.length > 0 ? newLine : ''}${close}`
  }
}

/** On one line: a few names or numbers. */
const isShortList = (value: unknown): value is (string | number)[] =>
  Array.isArray(value) &&
  value.length <= MAX_ITEMS * 2 &&
  value.every((item) => typeof item === 'number' || (typeof item === 'string' && item.length <= MAX_NAME))
