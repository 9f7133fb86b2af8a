import type { Field, ObjectSchema } from '../../lib/schema.ts'
import type { Resource } from '../../resources/define.ts'

/** What a permission exposes, in words for the people who give it. All of it comes from the resource's definition. */
export interface PermissionWords {
  /** `tasks:read` */
  name: string
  /** "List current tasks" */
  meaning: string
  /** What is answered, in one sentence. */
  responses: string
  /** Such as "each task" or "the workspace", and what is told of it. */
  exposes: { what: string; fields: { name: string; description: string }[] }[]
}

export const permissionWords = (resources: readonly Resource[]): PermissionWords[] =>
  resources.map((resource) => ({
    name: resource.permission,
    meaning: resource.summary,
    responses: firstSentence(resource.description),
    exposes: Object.entries(resource.schemas).flatMap(([name, schema]) =>
      isObject(schema)
        ? [{ what: `${resource.list === undefined ? 'the' : 'each'} ${spaced(name)}`, fields: fieldsOf(schema) }]
        : [],
    ),
  }))

/** "Of each task: id, title, due at." */
export const exposedText = ({ exposes }: Pick<PermissionWords, 'exposes'>): string =>
  exposes.map(({ what, fields }) => `Of ${what}: ${fields.map(({ name }) => name).join(', ')}.`).join(' ')

const isObject = (schema: Field): schema is ObjectSchema => 'properties' in schema

const fieldsOf = ({ properties }: ObjectSchema) =>
  Object.entries(properties).map(([name, { description = '' }]) => ({ name: spaced(name), description }))

/** dueAt: due at */
const spaced = (name: string): string => name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()

const firstSentence = (text: string): string => /^.*?\.(?= |$)/s.exec(text)?.[0] ?? text
