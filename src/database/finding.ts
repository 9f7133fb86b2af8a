/** What `doctor` reports about one check. */
export interface HealthFinding {
  check: string
  ok: boolean
  /** Nothing is wrong yet, but the operator should act. */
  isWarning?: boolean
  detail: string
  hint?: string
}

/** A hint is given only if the check fails. */
export const finding = (check: string, ok: boolean, detail: string, hint?: string): HealthFinding => ({
  check,
  ok,
  detail,
  ...(!ok && hint !== undefined && { hint }),
})

export const warning = (check: string, detail: string, hint?: string): HealthFinding => ({
  ...{ check, ok: true, isWarning: true, detail },
  ...(hint !== undefined && { hint }),
})
