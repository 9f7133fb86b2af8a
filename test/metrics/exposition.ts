/** What Prometheus would read: the value of each series, by its name and labels as they were sent. */
export type Series = ReadonlyMap<string, number>

function parseExposition(text: string): Series {
  const series = new Map<string, number>()
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const at = line.lastIndexOf(' ')
    const name = line.slice(0, at)
    if (series.has(name)) throw new Error(`twice: ${name}`)
    series.set(name, Number(line.slice(at + 1)))
  }
  return series
}

export async function scrape(url: string): Promise<Series> {
  const response = await fetch(url)
  if (response.status !== 200) throw new Error(`${url}: ${response.status}`)
  return parseExposition(await response.text())
}

/** The names of metrics that have a series, without what histograms add to theirs. */
export const namesIn = (series: Series): Set<string> =>
  new Set([...series.keys()].map((key) => key.replace(/\{.*/, '').replace(/_(bucket|sum|count)$/, '')))
