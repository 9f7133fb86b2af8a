import { type Environment, settingNames } from '../config.ts'
import { goneLine } from '../gone.ts'
import { didYouMean } from '../lib/nearest.ts'
import { printMessage } from './terminal/output.ts'

/** Read by the commands that call a deployment over HTTP. */
const CLIENT_NAMES = ['VITRINE_KEY', 'VITRINE_KEY_FILE', 'VITRINE_URL']

/** Read by PostgreSQL's driver, the runtime and the terminal. */
const FOREIGN_NAME = /^(PG[A-Z]+|TZ|LANG|LC_[A-Z]+|TERM|NO_COLOR|FORCE_COLOR|SSL_CERT_(FILE|DIR))$/

/** The environment also belongs to other programs, so its unknown names are not mistakes. */
export function warnOfGone(environment: Environment): void {
  for (const line of Object.keys(environment).map(goneLine)) if (line !== undefined) warn(line)
}

/** In Vitrine's own env file, every unknown name is a mistake. `declared` are the settings that definitions name. */
export function warnOfUnknown(names: readonly string[], file: string, declared: readonly string[]): void {
  const known = [...settingNames, ...CLIENT_NAMES, ...declared]
  for (const name of names)
    if (!known.includes(name) && !FOREIGN_NAME.test(name) && goneLine(name) === undefined)
      warn(`${name} in ${file} is not a setting and has no effect${didYouMean(name, settingNames)}`)
}

const warn = (text: string) => printMessage(`vitrine: warning: ${text}`)
