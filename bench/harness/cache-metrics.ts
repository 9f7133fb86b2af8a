interface CacheMetrics {
  hits: number
  misses: number
  bytes: number
}

/** What a server's cache of responses has done so far, by its metrics. */
export async function cacheMetrics(metricsPort: number): Promise<CacheMetrics> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const sampleOf = (sample: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${sample} `))
        ?.split(' ')[1],
    )
  return {
    hits: sampleOf('vitrine_response_cache_lookups_total{result="hit"}'),
    misses: sampleOf('vitrine_response_cache_lookups_total{result="miss"}'),
    bytes: sampleOf('vitrine_response_cache_current_bytes'),
  }
}
