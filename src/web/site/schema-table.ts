import { type Html, html, type Part } from '../../lib/html.ts'
import { renderInline, scrollable } from './markdown.ts'
import { nameOf, type Schema } from './openapi.ts'
import { sitePaths } from './paths.ts'

/** A schema in words: `string or null`, `array of Task`, with links to schemas of their own. */
export function typeOf(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref)
    return html`<a href="${sitePaths.schema(name)}">${name}</a>`
  }
  if (schema.anyOf !== undefined) return html`${schema.anyOf.map((one, index) => [index > 0 && ' or ', typeOf(one)])}`
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum !== undefined)
    return html`one of ${schema.enum.map((value, index) => [index > 0 && ', ', html`<code>${JSON.stringify(value)}</code>`])}`
  if (schema.items !== undefined) return html`array of ${typeOf(schema.items)}`
  const names = [schema.type ?? 'any value'].flat().join(' or ')
  return html`${names}${schema.format !== undefined && ` (${schema.format})`}`
}

/** The members of an object, those of nested objects with their path. */
export function schemaTable(schema: Schema): Part {
  const rows = rowsOf(schema, '')
  if (rows.length === 0) return html`<p>${typeOf(schema)}</p>`
  return scrollable(
    html`<table><thead><tr><th scope="col">member</th><th scope="col">type</th><th scope="col">meaning</th></tr></thead><tbody>${rows}</tbody></table>`,
  )
}

function rowsOf(schema: Schema, prefix: string): Html[] {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const row = html`<tr><td><code>${path}</code>${!required.includes(name) && html` <span class="optional">optional</span>`}</td><td>${typeOf(member)}</td><td>${renderInline(member.description ?? '')}</td></tr>`
    return [row, ...rowsOf(member, path)]
  })
}
