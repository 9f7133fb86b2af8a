/** Something wrong with a field. This is not part of the checker, so that code that only reports faults does not load the formats. */
export interface Fault {
  /** Empty if the fault concerns the whole value. */
  field: string
  problem: string
}

/** No fault if the problem is missing or false. */
export const fault = (field: string, problem?: string | false): Fault[] => (problem ? [{ field, problem }] : [])

export const within = (name: string, faults: readonly Fault[]): Fault[] =>
  faults.map(({ field, problem }) => ({ field: field === '' ? name : `${name}.${field}`, problem }))
