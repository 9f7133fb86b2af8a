import { taskColumns } from './store.ts'

/** A column has the name of its field, in snake case: dueAt is due_at. */
export const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The same for a field that comes from outside this room: names become part of statements, so only known ones pass. */
export function taskColumnOf(field: string): string {
  if (!(taskColumns as readonly string[]).includes(field)) throw new Error('there is no such field of a task')
  return columnOf(field)
}
