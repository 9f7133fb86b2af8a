import type { AuditRecord } from '../../audit/log.ts'
import { actionText } from '../../audit/wording.ts'
import { isObject } from '../../lib/checker.ts'
import { counted } from '../../lib/format-count.ts'
import { toInstant } from '../../lib/instant.ts'
import type { LocalTime } from '../../lib/local-dates.ts'
import { breakable, type Html, html, isolated, type Part, spaced } from '../html.ts'
import { inDays } from '../layout/log.ts'
import type { PageFrame } from '../layout/page.ts'
import { dataTable } from '../layout/table.ts'
import { clockTime, momentTime } from '../layout/time.ts'
import { paths } from '../paths.ts'

export interface ShownEntry extends Omit<AuditRecord, 'workspaceId'> {
  /** The subject's name, if it is the workspace or one of its keys. */
  label: string | null
  /** A key that still exists. */
  hasPage?: boolean
}

/** Each group is a row. Consecutive sign-ins and sign-outs may share one. */
export function grouped<Entry extends { action: string }>(entries: readonly Entry[], mayFold: boolean): Entry[][] {
  const groups: Entry[][] = []
  for (const entry of entries) {
    const last = groups.at(-1)
    if (mayFold && isSession(entry) && last?.[0] !== undefined && isSession(last[0])) last.push(entry)
    else groups.push([entry])
  }
  return groups
}

const isSession = ({ action }: { action: string }) => action.startsWith('session.')

/** A key's own page leaves out the subject. */
export const groupTable = (groups: readonly ShownEntry[][], frame: PageFrame, { ofKey = false } = {}): Html =>
  dataTable({
    caption: 'Audit entries, newest first',
    className: 'audit',
    columns: ['Time', 'What', ...(ofKey ? [] : ['Subject']), 'Who', 'Detail'],
    rows: inDays(
      groups,
      ([newest]) => newest?.at ?? '',
      (group) => {
        const [head, what, ...others] =
          group.length > 1 || group[0] === undefined ? foldedRow(group, frame) : cellsOf(group[0], frame)
        return { head, cells: [what, ...(ofKey ? others.slice(1) : others)] }
      },
      frame,
    ),
  })

type Cells = [time: Part, what: Part, subject: Part, who: Part, detail: Part]

const cellsOf = ({ at, action, actor, subject, label, hasPage, detail }: ShownEntry, frame: PageFrame): Cells => [
  clockTime(at, frame),
  html`<span class="what" title="${action}">${actionText(action)}</span>`,
  hasPage
    ? html`<a href="${paths.key(frame.workspace.slug, subject)}">${breakable(label ?? subject)}</a>`
    : breakable(label ?? subject),
  breakable(actor),
  details(detail, frame),
]

/** Such as "12 sign-ins and 3 sign-outs" by "3 people". */
function foldedRow(group: readonly ShownEntry[], time: LocalTime): Cells {
  const count = (action: string, text: string) => {
    const n = group.filter((entry) => entry.action === action).length
    return n === 0 ? [] : counted(n, text)
  }
  const what = [count('session.started', 'sign-in'), count('session.ended', 'sign-out')].flat().join(' and ')
  const people = new Set(group.map(({ actor }) => actor))
  const who = people.size === 1 ? isolated(group[0]?.actor ?? '') : `${people.size} people`
  const each = group.map(
    ({ at, action, actor }) => html`<li>${momentTime(at, time)} ${actionText(action)} ${breakable(actor)}</li>`,
  )
  const list = html`<details class="folded"><summary>Show each</summary><ul>${each}</ul></details>`
  return [clockTime(group[0]?.at ?? '', time), what, '', who, list]
}

/** The label has its own column, so it is left out. */
function details(detail: Record<string, unknown>, time: LocalTime): Html {
  const { before, after, label: _, ...rest } = detail
  const changes = isObject(before) && isObject(after) ? changesOf(before, after, time) : null
  const others = changes === null ? { before, after, ...rest } : rest
  const facts = Object.entries(others).filter(([, value]) => value !== null && value !== undefined)
  const shown = facts.map(([name, value]) => fact(name, detailValue(value, time)))
  return html`<span class="details">${changes}${shown}</span>`
}

const changesOf = (before: Record<string, unknown>, after: Record<string, unknown>, time: LocalTime): Html[] =>
  Object.keys(after).map((name) =>
    fact(name, html`${detailValue(before[name] ?? 'none', time)} → ${detailValue(after[name] ?? 'none', time)}`),
  )

const fact = (name: string, value: Html): Html =>
  html`<span><span class="faint">${spaced(name)}</span> ${value}</span> `

function detailValue(value: unknown, time: LocalTime): Html {
  if (typeof value !== 'string') return breakable(JSON.stringify(value))
  return toInstant(value) === value ? momentTime(value, time) : breakable(value)
}
