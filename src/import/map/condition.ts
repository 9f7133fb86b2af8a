import type { MapContext } from './context.ts'
import type { Condition } from './schema.ts'
import { fold, listOf, textsOf } from './texts.ts'

/** Compiles a condition into a test of a record. Of several values, one is enough. */
export function conditionTest({ from, lookup, is, isEmpty }: Condition, context: MapContext) {
  const accessors = listOf(from).flatMap((source) => context.find(source) ?? [])
  const words = is && new Set(is.map(fold))
  return (record: unknown): boolean => {
    const texts = accessors
      .flatMap((values) => values(record))
      .flatMap((value) => (isMerelyThere(value) ? 'object' : textsOf(value, () => {})))
      .map((text) => (lookup === undefined ? text : context.lookUp(lookup, text)))
      .filter((text) => text !== undefined)
    if (isEmpty !== undefined && isEmpty !== (texts.length === 0)) return false
    return words === undefined || texts.some((text) => words.has(fold(text)))
  }
}

/** An object counts as something, so that a condition can ask whether it is there. */
const isMerelyThere = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

/** For the report: which rule left a record out. */
export function conditionInWords({ from, lookup, is, isEmpty }: Condition): string {
  const source = `${listOf(from).join(' or ')}${lookup === undefined ? '' : ` (in ${lookup})`}`
  const empty = isEmpty === undefined ? [] : [isEmpty ? 'is empty' : 'is not empty']
  const words = is === undefined ? [] : [`is ${is.slice(0, 5).join(' or ')}${is.length > 5 ? ' or …' : ''}`]
  return `${source} ${[...empty, ...words].join(' and ')}`
}
