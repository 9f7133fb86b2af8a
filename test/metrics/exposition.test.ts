import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Histogram, sample } from '../../src/metrics/collect.ts'
import { exposition } from '../../src/metrics/exposition.ts'
import { combine } from '../../src/metrics/workers.ts'

test('a histogram counts values up to each bound, and is exposed cumulatively', () => {
  const histogram = new Histogram([0.1, 0.25, 0.5, 0.75, 0.9, 1])
  for (const ratio of [0.1, 0.2, 1, 1.5]) histogram.observe(ratio)
  assert.deepEqual(histogram.value, { counts: [1, 1, 0, 0, 0, 1, 1], sum: 2.8 })
  assert.deepEqual(
    exposition([sample('vitrine_quota_used_ratio', histogram.value)])
      .split('\n')
      .slice(1),
    [
      '# TYPE vitrine_quota_used_ratio histogram',
      'vitrine_quota_used_ratio_bucket{le="0.1"} 1',
      'vitrine_quota_used_ratio_bucket{le="0.25"} 2',
      'vitrine_quota_used_ratio_bucket{le="0.5"} 2',
      'vitrine_quota_used_ratio_bucket{le="0.75"} 2',
      'vitrine_quota_used_ratio_bucket{le="0.9"} 2',
      'vitrine_quota_used_ratio_bucket{le="1"} 3',
      'vitrine_quota_used_ratio_bucket{le="+Inf"} 4',
      'vitrine_quota_used_ratio_sum 2.8',
      'vitrine_quota_used_ratio_count 4',
      '',
    ],
  )
})

test('label values are escaped', () => {
  const [, , line] = exposition([sample('vitrine_build_info', 1, 'a"b\\c\nd', '', '')]).split('\n')
  assert.equal(line, 'vitrine_build_info{version="a\\"b\\\\c\\nd",commit="",node=""} 1')
})

test('counters and histograms of all workers are summed; a queue has a series for each', () => {
  const of = (count: number) => [
    sample('vitrine_refusals_total', count, 'unauthorized'),
    sample('vitrine_quota_used_ratio', { counts: [count, 0, 0, 0, 0, 0, 1], sum: count }),
    sample('vitrine_queue_current', count, 'incidents'),
  ]
  assert.deepEqual(
    combine(
      new Map([
        [1, of(2)],
        [2, of(5)],
      ]),
    ),
    [
      sample('vitrine_refusals_total', 7, 'unauthorized'),
      sample('vitrine_quota_used_ratio', { counts: [7, 0, 0, 0, 0, 0, 2], sum: 7 }),
      sample('vitrine_queue_current', 2, 'incidents', '1'),
      sample('vitrine_queue_current', 5, 'incidents', '2'),
    ],
  )
})
