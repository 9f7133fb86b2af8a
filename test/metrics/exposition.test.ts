import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Histogram, sample } from '../../src/metrics/collect.ts'
import { exposition } from '../../src/metrics/exposition.ts'

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
