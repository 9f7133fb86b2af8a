import type { Report, Result } from './run.ts'

/** In the form that Jenkins, GitLab and others read: a case for each check. */
export function junitReport(report: Report): string {
  const { url, failed, skipped, durationMs, results } = report
  const counts = { tests: results.length, failures: failed, errors: 0, skipped, time: seconds(durationMs) }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    element('testsuites', { name: 'vitrine check', ...counts }, [
      element('testsuite', { name: url, ...counts }, results.map(testcase)),
    ]),
    '',
  ].join('\n')
}

function testcase(result: Result): string {
  const { id, group, durationMs } = result
  const attributes = { classname: `vitrine.${group}`, name: id, time: seconds(durationMs) }
  if (result.status === 'skipped')
    return element('testcase', attributes, [element('skipped', { message: result.reason }, [])])
  if (result.status === 'passed') return element('testcase', attributes, [])
  const { title, expected, got, cause, fix, see } = result
  const text = escapeXml(
    [title, `expected: ${expected}`, `got: ${got}`, `cause: ${cause}`, `fix: ${fix}`, `see: ${see}`].join('\n'),
  )
  return element('testcase', attributes, [element('failure', { type: 'deviation', message: cause }, [text])])
}

function element(name: string, attributes: Record<string, string | number>, children: readonly string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
  if (children.length === 0) return `<${name}${written.join('')}/>`
  return `<${name}${written.join('')}>${children.join('\n')}</${name}>`
}

const seconds = (ms: number) => (ms / 1000).toFixed(3)

/** Characters that XML 1.0 does not know at all were replaced when the response was read; again, to be sure. */
const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 refuses them.
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
