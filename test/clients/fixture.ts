import assert from 'node:assert/strict'
import type { Service } from '../support/service.ts'

export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

export async function addFairAndLinen(service: Service): Promise<void> {
  await service.addTasks([
    { id: 'task_fair', title: 'Book the Köln fair' },
    {
      id: 'task_linen',
      title: 'Confirm the linen order with “Alvés & Filhos” 🧵',
      dueAt: '2026-11-16T17:00:00.000Z',
      bookKey: 'home-textiles',
      assigneeEmail: 'priya@acme.example',
    },
  ])
}

/** The text of a tool's result, which must be one block of text and not an error. */
export function textOf(result: unknown): string {
  const { content, isError = false } = result as { content: { type: string; text: string }[]; isError?: boolean }
  assert.equal(isError, false)
  assert.deepEqual(
    content.map(({ type }) => type),
    ['text'],
  )
  return content[0]?.text ?? ''
}

export const taskIds = (result: unknown) =>
  (JSON.parse(textOf(result)) as { tasks: { id: string }[] }).tasks.map(({ id }) => id)
