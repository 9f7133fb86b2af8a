import { type Group, groups } from './define.ts'
import type { Report, Result } from './run.ts'

const headings: Record<Group, string> = {
  reach: 'Reaching it',
  contract: 'Contract',
  rest: 'REST',
  mcp: 'MCP 2025-03-26',
  'mcp-2026': 'MCP 2026-07-28',
  paths: 'Paths',
  transport: 'Requests on their way',
  headers: 'Headers of all answers',
}

/** How a terminal marks them; words of four characters, so that lines stay aligned. */
interface Marks {
  heading(text: string): string
  outcome: Record<Result['status'], string>
}

const PLAIN: Marks = { heading: (text) => text, outcome: { passed: 'ok  ', skipped: 'skip', failed: 'FAIL' } }

/** The report for people: by group, with what is wrong, why, and what to do. */
export function textReport(report: Report, { heading, outcome }: Marks = PLAIN): string {
  const { url, contractVersion, passed, failed, skipped, requests, requestsWithKey, durationMs } = report
  const lines = [`${url} against the contract of Vitrine ${contractVersion}`]
  for (const group of groups) {
    const results = report.results.filter((result) => result.group === group)
    if (results.length === 0) continue
    lines.push('', heading(headings[group]))
    for (const result of results)
      lines.push(`  ${outcome[result.status]}  ${result.id}: ${result.title}`, ...detailLines(result))
  }
  const counts = `${passed} passed, ${failed} failed, ${skipped} skipped`
  lines.push(
    '',
    `${counts}; ${requests} requests, ${requestsWithKey} of them from the key's quota, in ${(durationMs / 1000).toFixed(1)} s`,
  )
  return lines.join('\n')
}

function detailLines(result: Result): string[] {
  if (result.status === 'passed') return indented({ note: result.note })
  if (result.status === 'skipped') return indented({ reason: result.reason })
  const { expected, got, cause, fix, see } = result
  return indented({ expected, got, cause, fix, see })
}

const indented = (facts: Record<string, string | undefined>): string[] =>
  Object.entries(facts).flatMap(([name, text]) => (text === undefined ? [] : [`        ${name.padEnd(8)}  ${text}`]))
