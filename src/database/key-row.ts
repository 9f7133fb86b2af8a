import type { Quota } from './store.ts'

export interface QuotaColumns {
  rate_limit: number | null
  rate_window_seconds: number | null
}

/** A key's own quota, if it has one. */
export const quotaOf = (row: QuotaColumns): Quota | null =>
  row.rate_limit !== null && row.rate_window_seconds !== null
    ? { limit: row.rate_limit, windowSeconds: row.rate_window_seconds }
    : null

export const parsePermissions = (text: string): string[] => text.split(',')
