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

export function junitReport({ url, failed, skipped, durationMs, results }: Report): string {
  const counts = `tests="${results.length}" failures="${failed}" errors="0" skipped="${skipped}" time="${seconds(durationMs)}"`
  const suite = `<testsuite name="${escapeXml(url)}" ${counts}>\n${results.map(testcase).join('\n')}\n</testsuite>`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="vitrine check" ${counts}>\n${suite}\n</testsuites>\n`
}

function testcase(result: Result): string {
  const { id, group, durationMs, title } = result
  const start = `<testcase classname="vitrine.${group}" name="${id}" time="${seconds(durationMs)}"`
  if (result.status === 'passed') return `${start}/>`
  if (result.status === 'skipped') return `${start}><skipped message="${escapeXml(result.reason)}"/></testcase>`
  const text = [title, ...factsOf(result).map((fact) => fact.join(': '))].join('\n')
  return `${start}><failure type="deviation" message="${escapeXml(result.cause)}">${escapeXml(text)}</failure></testcase>`
}

const seconds = (ms: number) => (ms / 1000).toFixed(3)

/** The texts contain no control characters: `safeText` replaced them. */
const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
