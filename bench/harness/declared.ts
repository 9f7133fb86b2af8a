import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Definition, FieldDefinition } from '../../src/resources/declared/definition.ts'
import { columns } from '../../src/resources/tasks/columns.ts'
import { taskFixture } from './fixture.ts'

/** As long as "tasks", so that both lists have the same bytes. */
export const DECLARED = 'works'

type FieldName = keyof (typeof taskFixture)[number]

/** The published fields of tasks, their order, and filters and words to search for. */
function definitionOf(name: string, singular: string): Definition {
  const fields = Object.keys(taskFixture[0] ?? {}).map((field): [string, FieldDefinition] => {
    const { kind, isNullable = false, maxLength, description } = columns[field as FieldName]
    if (kind !== 'text') return [field, { type: kind as FieldDefinition['type'], nullable: isNullable, description }]
    return [field, { type: kind, nullable: isNullable, description, maxLength: maxLength as number }]
  })
  return {
    ...{ name, singular, state: 'published', description: 'Rows like tasks.' },
    fields: Object.fromEntries(fields),
    order: ['dueAt'],
    filters: ['bookKey', 'assigneeEmail', 'sourceSessionId', 'dueAt'],
    search: ['title', 'details', 'bookKey', 'assigneeName', 'sourceTitle', 'sourceSummary'],
    label: 'title',
    limit: 100,
    tool: { description: 'List rows like tasks.' },
    example: taskFixture[0] ?? {},
  }
}

/** Gives the folder, for RESOURCES. */
export function writeDefinitions(parent: string, count: number): string {
  const folder = join(parent, `resources-${count}`)
  mkdirSync(folder)
  for (let i = 0; i < count; i++) {
    const definition = i === 0 ? definitionOf(DECLARED, 'work') : definitionOf(`lists${i}`, `list${i}`)
    writeFileSync(join(folder, `${definition.name}.json`), JSON.stringify(definition))
  }
  return folder
}
