import { type Environment, settingNames } from '../config.ts'
import { goneLine } from '../gone.ts'
import { printMessage } from './terminal/output.ts'

const PREFIX = 'VITRINE_'

/** Read by the commands that call a deployment over HTTP. */
const CLIENT_NAMES = ['VITRINE_KEY', 'VITRINE_KEY_FILE', 'VITRINE_URL']

/** Read by PostgreSQL's driver, the runtime and the terminal. */
const FOREIGN_NAME = /^(PG[A-Z]+|TZ|LANG|LC_[A-Z]+|TERM|COLUMNS|NO_COLOR|FORCE_COLOR|SSL_CERT_(FILE|DIR))$/

/** In a shorter name, one changed letter often makes another word. */
const MIN_LENGTH_FOR_TYPO = 5

/** The environment also belongs to other programs, so only names that resemble a setting are mistakes. */
export function warnOfMisspelt(environment: Environment): void {
  for (const name of Object.keys(environment)) {
    const meant = settingMeantBy(name)
    if (!warnOfGone(name) && meant !== undefined) warnOf(name, '', meant)
  }
}

/** In Vitrine's own env file, every unknown name is a mistake. */
export function warnOfUnknown(names: readonly string[], file: string, declared: readonly string[]): void {
  for (const name of names)
    if (!warnOfGone(name) && !isKnown(name) && !declared.includes(name) && !FOREIGN_NAME.test(name))
      warnOf(name, ` in ${file}`, settingMeantBy(name))
}

const isKnown = (name: string): boolean => settingNames.includes(name) || CLIENT_NAMES.includes(name)

function settingMeantBy(name: string): string | undefined {
  if (isKnown(name)) return undefined
  const upper = name.toUpperCase()
  const bare = upper.startsWith(PREFIX) ? upper.slice(PREFIX.length) : upper
  return settingNames.find((setting) => setting === bare) ?? settingNames.find((setting) => isTypoOf(bare, setting))
}

const warned = new Set<string>()

function warnOf(name: string, where: string, meant: string | undefined): void {
  const question = meant === undefined ? '' : `; did you mean ${meant}?`
  warnOnce(name, `${name}${where} is not a setting and has no effect${question}`)
}

function warnOfGone(name: string): boolean {
  const line = goneLine(name)
  if (line !== undefined) warnOnce(name, line)
  return line !== undefined
}

function warnOnce(name: string, warning: string): void {
  if (warned.has(name)) return
  warned.add(name)
  printMessage(`vitrine: warning: ${warning}`)
}

/** Whether one letter was added, left out, replaced, or swapped with its neighbour. */
const isTypoOf = (name: string, setting: string): boolean =>
  setting.length >= MIN_LENGTH_FOR_TYPO &&
  Math.abs(name.length - setting.length) <= 1 &&
  !withoutOneLetter(name).isDisjointFrom(withoutOneLetter(setting))

const withoutOneLetter = (word: string): Set<string> =>
  new Set([word, ...Array.from(word, (_, i) => word.slice(0, i) + word.slice(i + 1))])
