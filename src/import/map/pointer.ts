/** Returns what a source finds in a record: nothing, one value, or several. */
export type Accessor = (record: unknown) => readonly unknown[]

const EVERY_ITEM = '*'

/** What is wrong with a JSON pointer (RFC 6901), if anything. */
export const pointerFault = (pointer: string): string | undefined =>
  pointer.startsWith('/')
    ? undefined
    : `${JSON.stringify(pointer)} is not a JSON pointer, such as /title or /assignee/name`

export const segmentsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))

/** Only a value's own members are found, whatever the names. */
export function pointerAccessor(pointer: string): Accessor {
  const segments = segmentsOf(pointer)
  const only = segments.length === 1 && segments[0] !== EVERY_ITEM ? segments[0] : undefined
  if (only !== undefined) return (record) => member(record, only)
  return (record) =>
    segments.reduce<readonly unknown[]>((found, segment) => found.flatMap((one) => step(one, segment)), [record])
}

const step = (value: unknown, segment: string): readonly unknown[] =>
  segment === EVERY_ITEM && Array.isArray(value) ? value : member(value, segment)

const NOTHING: readonly unknown[] = []

const member = (value: unknown, name: string): readonly unknown[] =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? [Reflect.get(value, name)] : NOTHING
