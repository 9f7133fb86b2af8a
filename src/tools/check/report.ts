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

export function junitReport(report: Report): string {
  const { url, failed, skipped, durationMs, results } = report
  const counts = { tests: results.length, failures: failed, errors: 0, skipped, time: seconds(durationMs) }
  const suite = element('testsuite', { name: url, ...counts }, results.map(testcase))
  const suites = element('testsuites', { name: 'vitrine check', ...counts }, [suite])
  return `<?xml version="1.0" encoding="UTF-8"?>\n${suites}\n`
}

function testcase(result: Result): string {
  const { id, group, durationMs, title } = result
  const attributes = { classname: `vitrine.${group}`, name: id, time: seconds(durationMs) }
  if (result.status === 'passed') return element('testcase', attributes, [])
  if (result.status === 'skipped')
    return element('testcase', attributes, [element('skipped', { message: result.reason }, [])])
  const text = escapeXml([title, ...factsOf(result).map((fact) => fact.join(': '))].join('\n'))
  return element('testcase', attributes, [element('failure', { type: 'deviation', message: result.cause }, [text])])
}

function element(name: string, attributes: Record<string, string | number>, children: readonly string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
  if (children.length === 0) return `<${name}${written.join('')}/>`
  return `<${name}${written.join('')}>${children.join('\n')}</${name}>`
}

const seconds = (ms: number) => (ms / 1000).toFixed(3)

/** The texts contain no control characters: `safeText` replaced them. */
const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
