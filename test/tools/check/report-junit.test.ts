import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Result } from '../../../src/tools/check/check.ts'
import { junitReport } from '../../../src/tools/check/report.ts'
import type { Report } from '../../../src/tools/check/run.ts'

const about = { group: 'rest', title: 'A promise', why: 'Somebody needs it.', durationMs: 12 } as const
const results: Result[] = [
  { ...about, id: 'rest.a', status: 'passed', note: 'fine' },
  { ...about, id: 'rest.b', status: 'skipped', reason: 'not "here" & now' },
  {
    ...about,
    id: 'rest.c',
    status: 'failed',
    expected: '<200>',
    got: 'a ]]>',
    cause: "x & 'y'",
    fix: 'z',
    see: 's',
  },
]
const report: Report = {
  url: 'https://vitrine.example.com',
  contractVersion: '1.0.0',
  ok: false,
  passed: 1,
  failed: 1,
  skipped: 1,
  requests: 3,
  requestsWithKey: 2,
  durationMs: 36,
  results,
}

test('the JUnit report is XML with a case for each check, and nothing of a response is markup', () => {
  assert.equal(
    junitReport(report),
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="vitrine check" tests="3" failures="1" errors="0" skipped="1" time="0.036">
<testsuite name="https://vitrine.example.com" tests="3" failures="1" errors="0" skipped="1" time="0.036">
<testcase classname="vitrine.rest" name="rest.a" time="0.012"/>
<testcase classname="vitrine.rest" name="rest.b" time="0.012"><skipped message="not &quot;here&quot; &amp; now"/></testcase>
<testcase classname="vitrine.rest" name="rest.c" time="0.012"><failure type="deviation" message="x &amp; 'y'">A promise
expected: &lt;200&gt;
got: a ]]&gt;
cause: x &amp; 'y'
fix: z
see: s</failure></testcase>
</testsuite>
</testsuites>
`,
  )
})
