import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientFolder } from './tools.ts'

const blocks = [...readFileSync(join(clientFolder, 'README.md'), 'utf8').matchAll(/```js\n(.+?)```/gs)]
const printed = [
  /^2026-11-16T17:00:00\.000Z Confirm the linen order\n\d+ requests left\n$/,
  /^linen Confirm the linen order\nno one 1 of 1\n$/,
  /^new or changed: linen Confirm the linen order\n0 changes since then\n$/,
  /^1 tasks\n$/,
]
if (blocks.length !== printed.length) throw new Error('say here what each program in client/README.md prints')

/** The programs in the client's README, and what each prints for the task below. */
export const snippets = printed.map((prints, n) => ({ code: blocks[n]?.[1] ?? '', prints }))

export const snippetTask = { id: 'linen', title: 'Confirm the linen order', dueAt: '2026-11-16T17:00:00.000Z' }
