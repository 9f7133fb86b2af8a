const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
export const { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } = UNIT_MS
const MAX_MS = 100 * 366 * DAY_MS

export function durationMs(text: string): number | undefined {
  const match = /^(\d{1,9})([smhdw])$/.exec(text)
  const ms = text === '0' ? 0 : Number(match?.[1]) * UNIT_MS[match?.[2] as keyof typeof UNIT_MS]
  return Number.isNaN(ms) || ms > MAX_MS ? undefined : ms
}
