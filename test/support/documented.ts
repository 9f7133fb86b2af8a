import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The first code block of a language, with some words in it, in a page of the documentation. */
export function documentedCode(page: string, language: string, words = ''): string {
  const text = readFileSync(join(root, page), 'utf8')
  for (const [, block = ''] of text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm')))
    if (block.includes(words)) return block
  throw new Error(`${page} has no ${language} block with ${JSON.stringify(words)}`)
}

interface DocumentedBlock {
  language: string
  text: string
  /** Of its first line. */
  line: number
}

/** Every code block of a page, in order. */
export function documentedBlocks(page: string): DocumentedBlock[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(({ 1: language = '', 2: block = '', index }) => ({
    language,
    text: block,
    line: text.slice(0, index).split('\n').length + 1,
  }))
}
