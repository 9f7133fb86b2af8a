import { holdsKey } from './redact.ts'

const ATOM = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
// Without the u flag, under which /i would take U+212A (KELVIN SIGN) for a k and U+017F for an s.
const EMAIL = new RegExp(`^${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})*$`, 'i')

/** RFC 5321, 4.5.3.1.3: a path has 256 octets, two of them its brackets. */
const PERSON_MAX = 254

/** Plain ASCII, without quoted names or numeric hosts. */
export const isEmail = (text: string): boolean => EMAIL.test(text)

/** In lower case. Checked before folding: U+212A (KELVIN SIGN) folds to k, and would pass for another person. */
export const personEmail = (text: string): string | undefined =>
  text.length <= PERSON_MAX && isEmail(text) && !holdsKey(text) ? asciiLowerCase(text) : undefined

/** Folds only ASCII letters, unlike toLowerCase. */
export const asciiLowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
