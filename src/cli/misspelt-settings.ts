import { type Environment, settingNames } from '../config.ts'
import { printMessage } from './output.ts'

const PREFIX = 'VITRINE_'

/** Of the commands that ask a deployment over HTTP, not of the server. */
const CLIENT_NAMES = ['VITRINE_KEY', 'VITRINE_KEY_FILE', 'VITRINE_URL']

/** Read by what the program is built on: the driver of PostgreSQL, the runtime, the terminal. */
const FOREIGN_NAME = /^(PG[A-Z]+|TZ|LANG|LC_[A-Z]+|TERM|COLUMNS|NO_COLOR|FORCE_COLOR|SSL_CERT_(FILE|DIR))$/

/** In shorter names one letter makes another word: there only another case or a plural counts. */
const MIN_LENGTH_FOR_ONE_TYPO = 5
const MIN_LENGTH_FOR_TWO_TYPOS = 10

/** Variables that are no setting but look like one, with the setting that was probably meant. */
export const misspeltSettings = (environment: Environment): { given: string; meant: string }[] =>
  Object.keys(environment).flatMap((given) => {
    const meant = settingMeantBy(given)
    return meant === undefined ? [] : [{ given, meant }]
  })

/** Undefined if it is a setting, or nothing like one. */
function settingMeantBy(given: string): string | undefined {
  if (settingNames.includes(given) || CLIENT_NAMES.includes(given)) return undefined
  const upper = given.toUpperCase()
  const bare = upper.startsWith(PREFIX) ? upper.slice(PREFIX.length) : upper
  return settingNames.find((name) => name === bare) ?? settingNames.find((name) => isTypoOf(bare, name))
}

const warned = new Set<string>()

/** Names each variable once that was probably meant for one of these settings: all, unless told. */
export function warnOfMisspelt(environment: Environment, isRead: (setting: string) => boolean = () => true): void {
  for (const { given, meant } of misspeltSettings(environment)) if (isRead(meant)) warnOf(given, '', meant)
}

/** In a file that was written for Vitrine, whatever is no setting is a mistake, however little it looks like one. */
export function warnOfUnknown(names: readonly string[], file: string): void {
  for (const name of names)
    if (![...settingNames, ...CLIENT_NAMES].includes(name) && !FOREIGN_NAME.test(name))
      warnOf(name, ` in ${file}`, settingMeantBy(name))
}

function warnOf(given: string, where: string, meant: string | undefined): void {
  if (warned.has(given)) return
  warned.add(given)
  const question = meant === undefined ? '' : `; did you mean ${meant}?`
  printMessage(`vitrine: warning: ${given}${where} is not a setting and has no effect${question}`)
}

function isTypoOf(given: string, name: string): boolean {
  if (name.length < MIN_LENGTH_FOR_ONE_TYPO) return given === `${name}S`
  return editDistance(given, name) <= (name.length < MIN_LENGTH_FOR_TWO_TYPOS ? 1 : 2)
}

/** Damerau–Levenshtein: letters to add, remove, replace, or swap with their neighbour. */
function editDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 2) return Number.POSITIVE_INFINITY
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1]
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      row[j] = Math.min(
        (row[j - 1] ?? 0) + 1,
        (last[j] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = last
    last = row
  }
  return last[to.length] ?? 0
}
