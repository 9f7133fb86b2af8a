import { fieldNameFaults, MAX_NAME_LENGTH } from '../../resources/declared/names.ts'

/** A number may follow. */
const MAX_LENGTH = 30

/** The words of a column's name, in lower-case ASCII letters and digits. */
export const wordsOf = (title: string): string[] =>
  title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z\d]+/g) ?? []

/** A field name for each title, all different and none reserved. */
export function nameFields(titles: readonly string[], singular: string, idAt: number): string[] {
  const taken = new Set(['id'])
  return titles.map((title, i) => {
    if (i === idAt) return 'id'
    const isFree = (name: string) => !taken.has(name.toLowerCase()) && isUsable(name)
    const name = namesFor(title, i, singular).find(isFree) as string
    taken.add(name.toLowerCase())
    return name
  })
}

/** The title itself, the title in camel case, and with the singular or a number, such as orderState. */
function* namesFor(title: string, i: number, singular: string): Generator<string> {
  yield title
  const words = wordsOf(title)
  const nameWords =
    words.length === 0 ? ['field', String(i + 1)] : /^\d/.test(words[0] as string) ? ['n', ...words] : words
  yield camelCase(nameWords)
  yield camelCase([...wordsOf(singular), ...nameWords])
  for (let n = 2; ; n++) yield camelCase(nameWords) + n
}

function camelCase(words: readonly string[]): string {
  const fitting = words.filter((_, i) => i === 0 || words.slice(0, i + 1).join('').length <= MAX_LENGTH)
  return fitting
    .map((word, i) => (i === 0 ? word.slice(0, MAX_LENGTH) : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')
}

const isUsable = (field: string): boolean => fieldNameFaults(field).length === 0

export function singularOf(name: string): string {
  if (/(?:ch|sh|ss|x)es$/.test(name)) return name.slice(0, -2)
  if (/[^aeiou]ies$/.test(name)) return `${name.slice(0, -3)}y`
  return /[^su]s$/.test(name) ? name.slice(0, -1) : name
}

/** The name of a list from the name of its file: `Orders 2026.csv` becomes `orders2026`. A name begins with a letter. */
export function listNameOf(file: string): string {
  const [, base = ''] = /([^/\\]*?)(?:\.(?:csv|tsv|txt|json|jsonl|ndjson|gz))*$/i.exec(file) ?? []
  const [, digits = '', rest = ''] = /^(\d*)(.*)$/.exec(wordsOf(base).join('')) ?? []
  return `${rest || 'rows'}${digits}`.slice(0, MAX_NAME_LENGTH)
}
