/** A column has the name of its field, in snake case: dueAt is due_at. */
export const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
