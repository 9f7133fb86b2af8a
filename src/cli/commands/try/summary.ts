import { basename } from 'node:path'
import { counted } from '../../../lib/format-count.ts'
import { LINK_MINUTES } from '../../../members/sign-in-link.ts'
import { identityOf } from '../../../resources/declared/compile.ts'
import { program, sanitize } from '../../terminal/output.ts'
import type { DraftedList } from './draft-list.ts'
import type { Home } from './home.ts'

export interface LoadedList extends DraftedList {
  rows: number
}

interface Ready {
  url: string
  mcpUrl: string
  key: string
  workspace: string
  lists: readonly LoadedList[]
  signInUrl: string
  next: string
}

export function summaryOf({ url, mcpUrl, key, workspace, lists, signInUrl, next }: Ready): string {
  const header = `"Authorization: Bearer ${key}"`
  const [example = ''] = lists.map(({ definition }) => identityOf(definition).path)
  const lines = [
    ...listLines(lists),
    ...lists.flatMap(({ source, doubts }) => doubts.map((doubt) => `${basename(source)}: ${doubt}`)),
    `Serving on ${url}, only to this machine. Ctrl+C stops it.`,
    '',
    `  claude mcp add --transport http ${workspace} ${mcpUrl} --header ${header}`,
    `  curl -H ${header} ${url}${example}`,
    '',
    `Ask: ${questionsAmong(lists)
      .map((question) => `"${question}"`)
      .join('  ')}`,
    `See what an agent sees, with a link that works once, within ${LINK_MINUTES} minutes: ${signInUrl}`,
    next,
  ]
  return lines.map(sanitize).join('\n')
}

const QUESTIONS = 3

/** One of each list in turn. */
function questionsAmong(lists: readonly LoadedList[]): string[] {
  const turns = Array.from({ length: QUESTIONS }, (_, i) => lists.flatMap(({ questions }) => questions[i] ?? []))
  return turns.flat().slice(0, QUESTIONS)
}

function listLines(lists: readonly LoadedList[]): string[] {
  const cells = lists.map(({ source, rows, definition, columns }) => {
    const { path, tool } = identityOf(definition)
    const { order, search } = definition
    const titlesOf = (names: readonly string[]) => names.map((name) => columns.get(name) ?? name).join(', ')
    const uses = [
      `id: ${columns.get('id') ?? "the row's number"}`,
      ...(order === undefined ? [] : [`order: ${titlesOf(order)}`]),
      ...(search === undefined ? [] : [`search: ${titlesOf(search)}`]),
    ]
    return [basename(source), counted(rows, 'row'), `→ ${tool.name}, GET ${path}`, `(${uses.join('; ')})`]
  })
  const width = (column: number) => Math.max(...cells.map((row) => row[column]?.length ?? 0))
  return cells.map(([file = '', rows = '', served = '', uses]) =>
    [file.padEnd(width(0)), rows.padStart(width(1)), served.padEnd(width(2)), uses].join('  '),
  )
}

/** How to keep what was tried, or to continue. */
export const nextCommand = ({ envFile }: Home, keep: string | undefined): string =>
  keep === undefined
    ? 'Nothing is left behind. To keep it, add --keep ./kept.'
    : `Continue later: ${[program, 'serve', '--env-file', envFile].map(inShell).join(' ')}`

const inShell = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
