import { isDecimalKind, type Kind } from '../table.ts'

/** SQL for the key by which a column, or a value of its kind, is compared and sorted. */
export const sortKey = (value: string, kind: Kind): string => (isDecimalKind({ kind }) ? decimalKey(value) : value)

/**
 * SQL for a text that sorts as a stored decimal does by its number. 1.5 and 1.50 have the same key: the sign, the length of the
 * whole part as one letter, and the digits without trailing zeros. A negative one has the complement of each, and an end that
 * sorts after any digit, because -1.51 comes before -1.5.
 */
function decimalKey(value: string): string {
  const digits = `replace(replace(iif(instr(${value}, '.'), rtrim(${value}, '0'), ${value}), '-', ''), '.', '')`
  const length = `instr(${value} || '.', '.')`
  const complement = [...'0123456789'].reduce(
    (sql, digit, i) => `replace(${sql}, '${digit}', '${'jihgfedcba'[i]}')`,
    digits,
  )
  return `iif(substr(${value}, 1, 1) = '-', 'n' || char(122 - ${length}) || ${complement} || '~', 'p' || char(64 + ${length}) || ${digits})`
}
