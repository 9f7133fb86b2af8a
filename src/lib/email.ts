import { holdsKey } from './redact.ts'

const ATOM = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
// Without the u flag, with which /i would match U+212A (KELVIN SIGN) as k and U+017F as s.
const EMAIL = new RegExp(`^${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})*$`, 'i')

/** RFC 5321, 4.5.3.1.3: a path has at most 256 octets, including two brackets. */
const PERSON_MAX = 254

/** Plain ASCII, without quoted names or numeric hosts. */
export const isEmail = (text: string): boolean => EMAIL.test(text)

/** In lower case. Checks before folding: U+212A (KELVIN SIGN) folds to k, and would impersonate another person. */
export const personEmail = (text: string): string | undefined =>
  text.length <= PERSON_MAX && isEmail(text) && !holdsKey(text) ? asciiLowerCase(text) : undefined

/** Folds only ASCII letters, unlike toLowerCase. */
export const asciiLowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
