import { readFileSync } from 'node:fs'
import { fileUrl } from './files.ts'

const [, ...parts] = readFileSync(fileUrl('docs/README.md'), 'utf8').split(/^## /m)

/** In the order of docs/README.md: docs/<name>.md, its title, and what it is about. */
export const guideGroups = parts
  .map((part) => ({
    title: part.slice(0, part.indexOf('\n')),
    guides: Array.from(
      part.matchAll(/^- \[(.+?)\]\(([\w-]+)\.md\): (.+)$/gm),
      ([, title = '', name = '', about = '']) => [name, title, about] as const,
    ),
  }))
  .filter(({ guides }) => guides.length > 0)

/** Where the guides say how to reach the service, this server shows its own address. */
export const LOCAL_URL = 'http://127.0.0.1:3000'
export const withServiceUrl = (text: string, serviceUrl: string): string => text.replaceAll(LOCAL_URL, () => serviceUrl)

/** These are about a server that the reader starts. */
export const isLocalGuide = (file: string): boolean => ['docs/tutorial.md', 'docs/check.md'].includes(file)
