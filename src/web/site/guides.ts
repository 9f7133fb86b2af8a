import { readFileSync } from 'node:fs'
import { fileUrl } from './files.ts'

/** docs/<name>.md, its title, and what it is about. */
export type Guide = readonly [name: string, title: string, about: string]

const [, ...parts] = readFileSync(fileUrl('docs/README.md'), 'utf8').split(/^## /m)

/** In the order of docs/README.md. */
export const guideGroups = parts.map((part) => ({
  title: part.slice(0, part.indexOf('\n')),
  guides: Array.from(
    part.matchAll(/^- \[(.+?)\]\(([\w-]+)\.md\): (.+)$/gm),
    ([, title = '', name = '', about = '']): Guide => [name, title, about],
  ),
}))
