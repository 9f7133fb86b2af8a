/** What is wrong with a field. Apart from the checker, so that naming a fault loads none of its formats. */
export interface Fault {
  /** Empty if the fault concerns the whole value. */
  field: string
  problem: string
}

/** No fault if the problem is missing or false. */
export const fault = (field: string, problem?: string | false): Fault[] => (problem ? [{ field, problem }] : [])

export const within = (name: string, faults: readonly Fault[]): Fault[] =>
  faults.map(({ field, problem }) => ({ field: field === '' ? name : `${name}.${field}`, problem }))
