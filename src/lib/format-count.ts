/** Formats as 1,000,000. `toLocaleString` would take 25 ms to load its tables, even in a short command. */
export const formatCount = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

export const counted = (count: number, singular: string, plural = `${singular}s`): string =>
  `${formatCount(count)} ${count === 1 ? singular : plural}`

export function named(first: readonly string[], count: number): string {
  const more = count - first.length
  return first.join(', ') + (more > 0 ? ` and ${formatCount(more)} more` : '')
}
