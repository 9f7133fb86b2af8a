import { counted } from '../../lib/format-count.ts'
import { clip } from '../../lib/plain-text.ts'
import type { Field, ObjectSchema } from '../../lib/schema.ts'
import { operationIdOf, type Resource } from '../../resources/define.ts'
import { type Html, html, joined, type Part, spaced } from '../html.ts'
import { chooseButtons, describe } from '../layout/field.ts'
import { sitePaths } from '../paths.ts'

export type PermissionWords = ReturnType<typeof permissionWords>[number]

/** Operators write the descriptions of declared resources. */
const MAX_SENTENCE = 200

/** Derived from the resources' definitions. Those that are declared are granted only if they are chosen. */
export const permissionWords = (resources: readonly Resource[]) =>
  resources.map((resource) => ({
    name: resource.permission,
    meaning: resource.summary,
    list: resource.list?.name ?? '',
    thing: thingOf(resource),
    responses: clip(firstSentence(resource.description), MAX_SENTENCE),
    exposes: Object.entries(resource.schemas).flatMap(([name, schema]) =>
      isObject(schema)
        ? // Such as "each task" or "the workspace".
          [{ what: `${resource.list === undefined ? 'the' : 'each'} ${spaced(name)}`, fields: fieldsOf(schema) }]
        : [],
    ),
    reference: sitePaths.operation(operationIdOf(resource)),
    isDeclared: resource.declared !== undefined,
  }))

/** Such as "Tasks" or "The workspace". */
function thingOf({ list, schemas }: Resource): string {
  const name = spaced(list?.name ?? `the ${Object.keys(schemas)[0] ?? 'workspace'}`)
  return name.charAt(0).toUpperCase() + name.slice(1)
}

const isObject = (schema: Field): schema is ObjectSchema => 'properties' in schema

const fieldsOf = ({ properties }: ObjectSchema) =>
  Object.entries(properties).map(([name, { description = '' }]) => ({ name: spaced(name), description }))

const firstSentence = (text: string): string => /^.*?\.(?= |$)/s.exec(text)?.[0] ?? text

export function permissionsSection(permissions: readonly string[], words: readonly PermissionWords[]): Html {
  const granted = words.filter(({ name }) => permissions.includes(name))
  const withheld = words.filter(({ name }) => !permissions.includes(name))
  // An earlier version offered these, or a resource that the operator has removed.
  const unknown = permissions.filter((permission) => words.every(({ name }) => name !== permission))
  const others = html`${joined(withheld.map(({ name, meaning }) => html`${meaning.toLowerCase()} (<code>${name}</code>)`))}.`
  return html`<section class="panel part" aria-labelledby="permissions"><h2 id="permissions">What it can read</h2>
${permissionList(granted, permission)}
${unknown.length > 0 && html`<ul class="permissions">${unknown.map((name) => html`<li><code>${name}</code> <span class="faint">Has no effect in this version of the service.</span></li>`)}</ul>`}
${withheld.length > 0 && html`<p class="hint">Not permitted: ${others}</p>`}
<p class="hint">It cannot change anything: the service is read-only.</p></section>`
}

const permission: PermissionItem = ({ name, meaning, responses }, fields) =>
  html`<p><strong>${meaning}</strong> <code>${name}</code></p><p>${responses}</p>
${fields}`

export function permissionsField(words: readonly PermissionWords[], chosen: readonly string[], error?: string): Html {
  const fault = error !== undefined
  const { text } = describe('permissions', null, error)
  const box: PermissionItem = ({ name, meaning, responses }, fields, index) =>
    html`<label class="check"><input${index === 0 && html` id="permissions"`} type="checkbox" name="permissions" value="${name}"${chosen.includes(name) && html` checked`} aria-describedby="about-${name}${fault && ' permissions-error'}"${fault && html` aria-invalid="true"`}><span>${meaning} <code>${name}</code></span></label><div class="exposed"><p id="about-${name}">${responses}</p>${fields}</div>`
  return html`<fieldset class="field"><legend>Permissions</legend>${permissionList(words, box, true)}${text}</fieldset>`
}

type PermissionItem = (words: PermissionWords, fields: Part, index: number) => Html

const FILTERED_FROM = 8

/** Groups appear as soon as there are declared permissions; the script adds a filter and the buttons. */
function permissionList(words: readonly PermissionWords[], item: PermissionItem, isChosen = false): Html {
  const fields = exposedFields(words)
  const itemsOf = (areDeclared: boolean) =>
    words.flatMap((each, index) =>
      each.isDeclared === areDeclared ? html`<li data-item>${item(each, fields[index] ?? null, index)}</li>\n` : [],
    )
  const [declared, builtIn] = [itemsOf(true), itemsOf(false)]
  if (declared.length === 0) return html`<ul class="permissions">${builtIn}</ul>`
  const group = (id: string, title: string, all: Html[]) =>
    all.length > 0 &&
    html`<div class="permission-group" role="group" aria-labelledby="${id}" data-group><div class="group-head"><p id="${id}">${title}</p>${isChosen && chooseButtons(id)}</div><ul class="permissions">${all}</ul></div>`
  return html`<div data-filter>${words.length >= FILTERED_FROM && filterBar(words.length)}
${group('built-in', 'Built in', builtIn)}${group('declared', 'Added by the operator of this service', declared)}</div>`
}

const filterBar = (count: number): Html =>
  html`<div class="finder" data-finder hidden><label class="visually-hidden" for="find-permission">Filter permissions</label><input id="find-permission" type="search" placeholder="Filter ${count} permissions" autocomplete="off" spellcheck="false"><span class="hint" role="status"></span></div>`

/** Bytes, so that the page stays under 60 KB. */
const MAX_FIELDS_SHOWN = 24_000

/** If there are too many, they are only counted: the API reference describes them. Unlike a tooltip, `details` opens by keyboard and by touch. */
function exposedFields(words: readonly PermissionWords[]): Html[] {
  const full = words.map(
    ({ exposes }) =>
      html`${exposes.map(({ what, fields }) => html`<details><summary>${counted(fields.length, 'field')} of ${what}</summary><dl class="fields">${fields.map((field) => html`<div><dt>${field.name}</dt><dd>${field.description}</dd></div>`)}</dl></details>`)}`,
  )
  if (full.reduce((sum, { text }) => sum + text.length, 0) <= MAX_FIELDS_SHOWN) return full
  return words.map(
    ({ exposes, reference }) =>
      html`<p><a href="${reference}" target="_blank">${joined(exposes.map(({ what, fields }) => `${counted(fields.length, 'field')} of ${what}`))}</a></p>`,
  )
}
