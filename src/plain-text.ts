/** Whether every store can keep a text and every answer can carry it: no NUL, no half of a surrogate pair. */
export const isPlainText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

export const NOT_PLAIN = 'must not hold a NUL character or half of a surrogate pair'

/** Whether a text can stand where people read a name: not empty, not too long, and on one line. */
export const isOneLine = (text: string, maxLength: number): boolean =>
  text !== '' && text.length <= maxLength && isPlainText(text) && !/\p{Cc}/u.test(text)
