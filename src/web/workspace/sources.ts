import { basename } from 'node:path'
import type { Transaction } from '../../database/store.ts'
import { type SourceState, sourceStateOf } from '../../import/source-state.ts'
import { listSources, type Source } from '../../import/sources.ts'
import { counted, formatCount } from '../../lib/format-count.ts'
import type { LocalTime } from '../../lib/local-dates.ts'
import type { List } from '../../lists/definition.ts'
import { SourceUnavailable } from '../../lists/in-place/unavailable.ts'
import { MAX_COUNTED } from '../../lists/query.ts'
import { countShown } from '../../lists/stored/rows.ts'
import type { WorkspaceContext } from '../context.ts'
import { breakable, type Html, html, isolated, joined, type Part } from '../html.ts'
import { type DataRow, dataTable, type Status, statusDot } from '../layout/table.ts'
import { intervalText, momentTime, relativeTime } from '../layout/time.ts'

export type ShownSource = Source & { state: SourceState }

/** Leaves out sources of resources that keys cannot read, such as drafts. */
export async function readSources(tx: Transaction, lists: readonly List[], workspaceId: string, nowMs: number) {
  const names = new Set(lists.map(({ name }) => name))
  return (await listSources(tx, workspaceId))
    .filter(({ list }) => names.has(list))
    .map((source) => ({ ...withoutFolders(source), state: sourceStateOf(source, nowMs) }))
}

/** A list as keys can read it. */
export interface ShownList extends Pick<List, 'name' | 'singular'> {
  /** Current ones, counted up to MAX_COUNTED; null while they are not read. */
  rowCount: number | null
  isInPlace: boolean
  /** Why a list that is read in place cannot be read. */
  fault: string | null
  /** What it is synced from. */
  sources: ShownSource[]
}

export async function readLists(
  tx: Transaction,
  lists: readonly List[],
  workspaceId: string,
  nowMs: number,
): Promise<ShownList[]> {
  const sources = await readSources(tx, lists, workspaceId, nowMs)
  const shown: ShownList[] = []
  for (const list of lists) {
    const isInPlace = list.rows !== undefined
    const rowCount = isInPlace ? null : await countShown(tx, [workspaceId, list.name], nowMs)
    const ofList = sources.filter((source) => source.list === list.name)
    shown.push({ ...list, rowCount, isInPlace, fault: null, sources: ofList })
  }
  return shown
}

/** Reads those that are in place as an agent would. */
export const readInPlace = (
  { agentPreview, resources, workspace, frame }: WorkspaceContext,
  lists: readonly ShownList[],
): Promise<ShownList[]> => {
  const access = { workspaceId: workspace.workspaceId, available: true, only: null, now: frame.nowMs }
  return Promise.all(
    lists.map(async (list) => {
      const resource = resources.find((each) => each.list?.name === list.name)
      if (!list.isInPlace || resource === undefined) return list
      try {
        const permissions = new Set([resource.permission])
        const body = await agentPreview.callTool(resource.tool.name, { ...access, permissions })
        return { ...list, rowCount: JSON.parse(String(body)).result.structuredContent.total }
      } catch (error) {
        if (!(error instanceof SourceUnavailable)) throw error
        const { row, field } = error
        return {
          ...list,
          fault: row === undefined ? 'its table cannot be read' : `row ${row}, field ${field} does not fit`,
        }
      }
    }),
  )
}

export const isEmpty = (lists: readonly Pick<ShownList, 'rowCount'>[]): boolean =>
  lists.length > 0 && lists.every(({ rowCount }) => rowCount === 0)

export const rowCountText = ({ rowCount }: ShownList): string =>
  rowCount === null ? '' : rowCount === MAX_COUNTED ? `${formatCount(rowCount)} or more rows` : counted(rowCount, 'row')

/** What to do about lists without rows. */
export const fillingText = (lists: readonly Pick<ShownList, 'name' | 'singular'>[]): Html => {
  const singular = lists.length === 1 ? lists[0]?.singular : undefined
  return html`The operator of this service fills ${singular === undefined ? 'a list' : 'it'} with <code>vitrine ${singular ?? 'task'} import</code>, or keeps it up to date with <code>vitrine ${singular ?? 'task'} sync</code>.`
}

/** Agents read stale data meanwhile. */
export const needsAttention = ({ state }: ShownSource): boolean => state === 'failing' || state === 'overdue'

/** Members need not know the server's folders. */
function withoutFolders(source: Source): Source {
  const { location, failure } = source
  if (location === null || /^https?:\/\//.test(location))
    return { ...source, failure: failure && withoutPaths(failure) }
  const name = basename(location)
  return { ...source, location: name, failure: failure && withoutPaths(failure.replaceAll(location, name)) }
}

/** Removes the folders of files that a message names; a URL's path stays. */
const withoutPaths = (text: string): string => text.replace(/(?<![\w:/.-])\/(?:[^\s/:;,'"]+\/)+/g, '')

export function sourcesTable(sources: readonly ShownSource[], time: LocalTime): Part {
  const abandoned = sources.filter(({ state }) => state === 'abandoned')
  const rows = sources.filter((source) => !abandoned.includes(source)).map((source) => sourceRow(source, time))
  return [
    rows.length === 0
      ? nothing
      : html`<div class="panel">${dataTable({ caption: 'Sources', className: 'sources', columns, rows })}</div>`,
    abandoned.length > 0 &&
      html`<p class="hint">Never synced, no longer tried: ${joined(abandoned.map(({ name }) => isolated(name)))}. Check the name for a typo.</p>`,
  ]
}

const nothing = html`<div class="panel empty"><h3>No sources yet</h3>
<p>A source is a tracker, a sheet or an export that the operator of this service syncs into the workspace. Data that was
imported has no source.</p></div>`

const columns = ['Source', 'Content', 'Last synced', 'Repeated', 'State']

function sourceRow(source: ShownSource, time: LocalTime): DataRow {
  const { name, location, list, rowCount, syncedAt, everySeconds, state } = source
  const note = sourceNote(source, time)
  return {
    head: html`<span class="label">${isolated(name)}</span>${location !== null && html`<span class="sub">${breakable(location)}</span>`}`,
    cells: [
      rowCount === null ? list : `${formatCount(rowCount)} ${list}`,
      syncedAt === null ? html`<span class="faint">Never</span>` : relativeTime(syncedAt, time),
      everySeconds === null ? html`<span class="faint">No</span>` : `every ${intervalText(everySeconds)}`,
      sourceState(state),
    ],
    notes: note === null ? [] : [note],
  }
}

const states: Record<SourceState, Status> = {
  synced: ['', 'Synced'],
  failing: ['bad', 'Failing'],
  overdue: ['warn', 'Overdue'],
  abandoned: ['', 'Abandoned'],
}

export const sourceState = (state: SourceState): Html => statusDot(states[state])

/** Null for a healthy source. */
export function sourceNote({ state, failingSince, failure, attemptedAt }: ShownSource, time: LocalTime): Html | null {
  if (state === 'failing' && failingSince !== null)
    return html`<p class="note bad"><strong>Failing since ${momentTime(failingSince, time)}.</strong> ${breakable(failure ?? '')}</p>`
  if (state === 'overdue' && attemptedAt !== null)
    return html`<p class="note warn"><strong>No attempt since ${momentTime(attemptedAt, time)}.</strong> The program that repeats the sync has stopped: ask the operator of this service.</p>`
  return null
}
