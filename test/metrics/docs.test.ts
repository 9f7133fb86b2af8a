import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { labelsOf, type MetricName, metricNames } from '../../src/metrics/catalogue.ts'
import { refusalCodes } from '../../src/metrics/request-metrics.ts'
import { installedProgram, skipWithout } from '../support/installed-program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const DOCS = join(import.meta.dirname, '../../docs')
const ALERTS = join(DOCS, 'metrics/alerts.yaml')

const board: { panels: { targets?: { expr: string }[] }[] } = JSON.parse(
  readFileSync(join(DOCS, 'metrics/grafana-board.json'), 'utf8'),
)
const boardQueries = board.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const guideQueries = [...readFileSync(join(DOCS, 'monitoring.md'), 'utf8').matchAll(/\? \| `([^`]+)` \|/g)].map(
  ([, query = '']) => query,
)

/** Of Prometheus itself. */
const OWN_LABELS = ['job', 'instance', 'le']

/** Each metric that a text names, with the labels that it is selected by. */
function usesIn(text: string): { name: string; labels: string[]; reasons: string[] }[] {
  return [...text.matchAll(/\b((?:vitrine|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', matchers = '']) => ({
      name: name.replace(/_(bucket|sum|count)$/, ''),
      labels: [...matchers.matchAll(/(\w+)\s*[!=]/g)].map(([, label = '']) => label),
      reasons: [...matchers.matchAll(/reason="(\w+)"/g)].map(([, reason = '']) => reason),
    }),
  )
}

for (const [what, text] of [
  ['the board', boardQueries.join('\n')],
  ['the alert rules', readFileSync(ALERTS, 'utf8').replaceAll(/^\s*(#|summary|description).*$/gm, '')],
  ['the guide', guideQueries.join('\n')],
] as const)
  test(`every metric and label that ${what} uses exists`, () => {
    const uses = usesIn(text)
    assert.ok(uses.length > 4)
    for (const { name, labels, reasons } of uses) {
      assert.ok(
        metricNames.some((known) => known === name),
        name,
      )
      const known = [...labelsOf(name as MetricName), ...OWN_LABELS]
      for (const label of labels) assert.ok(known.includes(label), `${name}: ${label}`)
      for (const reason of reasons)
        assert.ok(
          refusalCodes.some((code) => code === reason),
          reason,
        )
    }
  })

test('every metric is on the board or in an alert, or it is not worth having', () => {
  const used = new Set(usesIn(`${boardQueries.join('\n')}\n${readFileSync(ALERTS, 'utf8')}`).map(({ name }) => name))
  assert.deepEqual(
    metricNames.filter((name) => !used.has(name)),
    [],
  )
})

const promtool = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(installedProgram('promtool') ?? '', args, { encoding: 'utf8' })
  return { status, output: `${stdout}${stderr}` }
}

test('Prometheus accepts the alert rules, and each fires when it should and only then', skipWithout('promtool'), () => {
  const checked = promtool('check', 'rules', ALERTS)
  assert.equal(checked.status, 0, checked.output)
  const files = ['alerts.test.yaml', 'retention-alerts.test.yaml'].map((name) => join(import.meta.dirname, name))
  const tried = promtool('test', 'rules', ...files)
  assert.equal(tried.status, 0, tried.output)
})

test('Prometheus can parse every query of the board and the guide', skipWithout('promtool'), (t) => {
  const queries = [...boardQueries, ...guideQueries].map((query) =>
    query.replaceAll('$__rate_interval', '5m').replaceAll(/\$(job|instance)/g, '.*'),
  )
  const rules = queries.map((expr, at) => ({ record: `query:number_${at}`, expr }))
  const file = join(temporaryFolder(t), 'queries.yaml')
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'queries', rules }] }))
  const { status, output } = promtool('check', 'rules', file)
  assert.equal(status, 0, output)
  assert.match(output, new RegExp(`${queries.length} rules found`))
})
