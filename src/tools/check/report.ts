import { groups, type Result } from './check.ts'
import type { Report } from './run.ts'

/** Outcomes are four characters wide, so that lines stay aligned. */
interface Marks {
  heading(text: string): string
  outcome: Record<Result['status'], string>
}

export function textReport(report: Report, { heading, outcome }: Marks): string {
  const { url, contractVersion, passed, failed, skipped, requests, requestsWithKey, durationMs } = report
  const lines = [`${url} against the contract of Vitrine ${contractVersion}`]
  for (const [group, results] of Map.groupBy(report.results, (result) => result.group)) {
    lines.push('', heading(groups[group]))
    for (const result of results) {
      lines.push(`  ${outcome[result.status]}  ${result.id}: ${result.title}`)
      for (const [name, text] of factsOf(result)) lines.push(`        ${name.padEnd(8)}  ${text}`)
    }
  }
  const counts = `${passed} passed, ${failed} failed, ${skipped} skipped`
  const ofQuota = `${requests} requests, ${requestsWithKey} of them from the key's quota`
  lines.push('', `${counts}; ${ofQuota}, in ${(durationMs / 1000).toFixed(1)} s`)
  return lines.join('\n')
}

function factsOf(result: Result): [name: string, text: string][] {
  if (result.status === 'passed') return result.note === undefined ? [] : [['note', result.note]]
  if (result.status === 'skipped') return [['reason', result.reason]]
  const { expected, got, cause, fix, see } = result
  return Object.entries({ expected, got, cause, fix, see })
}
