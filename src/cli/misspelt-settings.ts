import { type Environment, settingNames } from '../config.ts'
import { printMessage } from './terminal/output.ts'

const PREFIX = 'VITRINE_'

/** Read by the commands that call a deployment over HTTP. */
const CLIENT_NAMES = ['VITRINE_KEY', 'VITRINE_KEY_FILE', 'VITRINE_URL']

/** Read by PostgreSQL's driver, the runtime and the terminal. */
const FOREIGN_NAME = /^(PG[A-Z]+|TZ|LANG|LC_[A-Z]+|TERM|COLUMNS|NO_COLOR|FORCE_COLOR|SSL_CERT_(FILE|DIR))$/

/** In a shorter name, one changed letter often makes another word, so only its plural counts as a typo. */
const MIN_LENGTH_FOR_TYPO = 5

export const misspeltSettings = (environment: Environment): { given: string; meant: string }[] =>
  Object.keys(environment)
    .map((given) => ({ given, meant: settingMeantBy(given) ?? '' }))
    .filter(({ meant }) => meant !== '')

function settingMeantBy(given: string): string | undefined {
  if (settingNames.includes(given) || CLIENT_NAMES.includes(given)) return undefined
  const upper = given.toUpperCase()
  const bare = upper.startsWith(PREFIX) ? upper.slice(PREFIX.length) : upper
  return settingNames.find((name) => name === bare) ?? settingNames.find((name) => isTypoOf(bare, name))
}

const warned = new Set<string>()

export function warnOfMisspelt(environment: Environment, isRead: (setting: string) => boolean = () => true): void {
  for (const { given, meant } of misspeltSettings(environment)) if (isRead(meant)) warnOf(given, '', meant)
}

/** In Vitrine's own env file, every unknown name is a mistake. */
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

/** Whether one letter was added, left out, replaced, or swapped with its neighbour. */
function isTypoOf(given: string, name: string): boolean {
  if (name.length < MIN_LENGTH_FOR_TYPO) return given === `${name}S`
  if (Math.abs(given.length - name.length) > 1) return false
  return !withoutOneLetter(given).isDisjointFrom(withoutOneLetter(name))
}

const withoutOneLetter = (word: string): Set<string> =>
  new Set([word, ...Array.from(word, (_, i) => word.slice(0, i) + word.slice(i + 1))])
