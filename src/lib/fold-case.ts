/** Two texts that differ only in case, or in how their accents are encoded, fold to the same one. */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
