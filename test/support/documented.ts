import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The first code block of a language in a page of the documentation. */
export function documentedCode(page: string, language: string): string {
  const text = readFileSync(join(root, page), 'utf8')
  const block = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(text)?.[1]
  if (block === undefined) throw new Error(`${page} has no ${language} block`)
  return block
}
