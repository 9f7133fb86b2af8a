/** Whether every store can keep a text and every answer can carry it: no NUL, no half of a surrogate pair. */
export const isPlainText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
