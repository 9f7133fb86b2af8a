import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientFolder } from './tools.ts'

const readme = readFileSync(join(clientFolder, 'README.md'), 'utf8')

/** The programs in the client's README, and what each prints for the one task below. */
export const snippets: { code: string; prints: RegExp }[] = [
  /^2026-11-16T17:00:00\.000Z Confirm the linen order\n\d+ requests left\n$/,
  /^1 tasks\n$/,
].map((prints, n) => ({ code: [...readme.matchAll(/```js\n(.+?)```/gs)][n]?.[1] ?? '', prints }))

export const snippetTask = { id: 'linen', title: 'Confirm the linen order', dueAt: '2026-11-16T17:00:00.000Z' }
