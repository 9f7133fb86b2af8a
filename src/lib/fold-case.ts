/** Two texts that differ only in case, or in how their accents are encoded, fold to the same one. */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ').normalize('NFC')

/** For people's searches: also folds compatible forms, such as full-width letters. */
export const foldForSearch = (text: string): string => text.normalize('NFKC').toLowerCase()
