/** Finds the values of a column or JSON pointer in a record: none, one, or several. */
export type Finder = (record: unknown) => readonly unknown[]

const EVERY_ITEM = '*'

export const pointerFault = (pointer: string): string | undefined =>
  pointer.startsWith('/')
    ? undefined
    : `${JSON.stringify(pointer)} is not a JSON pointer, such as /title or /assignee/name`

export const segmentsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))

export function pointerFinder(pointer: string): Finder {
  const segments = segmentsOf(pointer)
  return (record) => {
    let values: readonly unknown[] = [record]
    for (const segment of segments) values = values.flatMap((value) => membersOf(value, segment))
    return values
  }
}

/** Inherited members such as `constructor` are not found. */
function membersOf(value: unknown, name: string): readonly unknown[] {
  if (name === EVERY_ITEM && Array.isArray(value)) return value
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? [Reflect.get(value, name)] : []
}
