import type { HealthFinding } from './store.ts'

/** What `doctor` reports about one check. A hint is given only if it fails. */
export const finding = (check: string, ok: boolean, detail: string, hint?: string): HealthFinding => ({
  check,
  ok,
  detail,
  ...(!ok && hint !== undefined && { hint }),
})
