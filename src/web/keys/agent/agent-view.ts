import type { KeyRecord } from '../../../keys/records.ts'
import { formatCount } from '../../../lib/format-count.ts'
import { parseJson } from '../../../lib/json-text.ts'
import { SourceUnavailable } from '../../../lists/in-place/unavailable.ts'
import { examplePathOf, type Resource } from '../../../resources/define.ts'
import type { WorkspaceContext } from '../../context.ts'

export interface ToolDefinition {
  name: string
  title: string
  description: string
  inputSchema: { properties?: Record<string, { description?: string }> }
}

export type AgentView = Awaited<ReturnType<typeof readAgentView>>

/** One list at a time, because each may take half of a page: the requested tool, or the best example. */
function shownTools(resources: readonly Resource[], permissions: readonly string[], asked: string | null) {
  const lists = resources.filter(({ list }) => list !== undefined)
  const example = examplePathOf(resources, permissions)
  const shown = lists.find(({ tool }) => tool.name === asked) ?? lists.find(({ path }) => path === example) ?? lists[0]
  const resourcesShown = resources.filter((resource) => resource.list === undefined || resource === shown)
  return resourcesShown.map(({ tool }) => tool.name)
}

export async function readAgentView(
  { agentPreview, resources, workspace, frame }: WorkspaceContext,
  { permissions, only }: Pick<KeyRecord, 'permissions' | 'only'>,
  asked: string | null = null,
) {
  const { workspaceId, archivedAt } = workspace
  const limit = only && JSON.stringify(only)
  const access = {
    ...{ workspaceId, available: archivedAt === null, permissions: new Set(permissions), only: limit },
    now: frame.nowMs,
  }
  const all = toolsIn(await agentPreview.listTools(access))
  const tools: (ToolDefinition & { response: ShownBody })[] = []
  const names = shownTools(resources, permissions, asked)
  const isShown = ({ name }: ToolDefinition) => names.includes(name)
  for (const tool of all.filter(isShown)) {
    const body = await agentPreview.callTool(tool.name, access).catch(toFailed)
    tools.push({ ...tool, response: shownBody(Buffer.from(modelTextIn(body) ?? body)) })
  }
  return {
    instructions: agentPreview.instructions(access),
    tools,
    // Each has its own page.
    others: all.filter((tool) => !isShown(tool)),
    hidden: resources
      .filter(({ permission }) => !permissions.includes(permission))
      .map(({ tool, permission }) => ({ name: tool.name, permission })),
  }
}

/** A key's pages open even if a table of an application cannot be read. */
function toFailed(error: unknown): Buffer {
  if (!(error instanceof SourceUnavailable)) throw error
  const failure = { code: -32603, message: 'The rows of this list cannot be read at the moment.' }
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, error: failure }))
}

/** Operators wrote it, so it needs no bound. */
const toolsIn = (body: Buffer): ToolDefinition[] => JSON.parse(body.toString()).result.tools

/** A model reads the text of a tool's result. A result too large to parse is shown as a whole. */
const modelTextIn = (body: Buffer): string | undefined =>
  (parsedBody(body) as { result?: { content?: { text?: string }[] } } | undefined)?.result?.content?.[0]?.text

type ShownBody = ReturnType<typeof shownBody>

/** Characters. The page stays under 60 KB even if each of them is escaped. */
const MAX_SHOWN = 8000
/** Parsing a larger body would delay other people's requests. */
const MAX_PARSED_BYTES = 1024 * 1024
const MAX_ITEMS = 10
const MAX_TEXT = 300

const parsedBody = (body: Buffer): unknown => (body.length > MAX_PARSED_BYTES ? undefined : parseJson(body.toString()))

export function shownBody(body: Buffer) {
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
