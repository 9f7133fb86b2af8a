import { type Html, html } from '../../lib/html.ts'
import type { Field, ObjectSchema } from '../../lib/schema.ts'
import type { Resource } from '../../resources/define.ts'

/** Derived from the resource's definition. */
export interface PermissionWords {
  /** Such as `tasks:read`. */
  name: string
  /** Such as "List current tasks". */
  meaning: string
  /** One sentence. */
  responses: string
  /** `what` is "each task" or "the workspace". */
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

const isObject = (schema: Field): schema is ObjectSchema => 'properties' in schema

const fieldsOf = ({ properties }: ObjectSchema) =>
  Object.entries(properties).map(([name, { description = '' }]) => ({ name: spaced(name), description }))

const spaced = (name: string): string => name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()

const firstSentence = (text: string): string => /^.*?\.(?= |$)/s.exec(text)?.[0] ?? text

export function permissionsSection(permissions: readonly string[], words: readonly PermissionWords[]): Html {
  const given = words.filter(({ name }) => permissions.includes(name))
  const withheld = words.filter(({ name }) => !permissions.includes(name))
  // An earlier version offered these.
  const unknown = permissions.filter((permission) => words.every(({ name }) => name !== permission))
  return html`<section class="panel part" aria-labelledby="permissions"><h2 id="permissions">What it can read</h2>
<ul class="permissions">${given.map(permission)}${unknown.map((name) => html`<li><code>${name}</code> <span class="faint">Has no effect in this version of the service.</span></li>`)}</ul>
${withheld.length > 0 && html`<p class="hint">Not permitted: ${withheld.map(({ name, meaning }, index) => html`${index > 0 && ', '}${meaning.toLowerCase()} (<code>${name}</code>)`)}.</p>`}
<p class="hint">It cannot change anything: the service is read-only.</p></section>`
}

const permission = ({ name, meaning, responses, exposes }: PermissionWords): Html =>
  html`<li><p><strong>${meaning}</strong> <code>${name}</code></p><p>${responses}</p>
${exposedFields({ exposes })}</li>
`

/** Unlike a tooltip, it opens by keyboard and by touch. */
export const exposedFields = ({ exposes }: Pick<PermissionWords, 'exposes'>): Html[] =>
  exposes.map(
    ({ what, fields }) =>
      html`<details><summary>Of ${what}: ${fields.length} fields</summary><dl class="fields">${fields.map((field) => html`<div><dt>${field.name}</dt><dd>${field.description}</dd></div>`)}</dl></details>`,
  )
