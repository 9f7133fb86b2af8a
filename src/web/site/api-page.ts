import { type OpenApi, operationsOf, refName, type Schema } from '../../lib/openapi.ts'
import { type Html, html, joined } from '../html.ts'
import { sitePaths } from '../paths.ts'
import { contents, type SiteFrame } from './frame.ts'
import { renderInline, scrollingTable } from './markdown.ts'

/** Each operation and schema has its own page: together they would be too large. */
export function apiIndexPage(frame: SiteFrame, document: OpenApi): string {
  const { info, components } = document
  const operations = operationsOf(document).map(({ method, path, operation, others }) => [
    html`<a href="${sitePaths.operation(operation.operationId)}"><code>${method} ${path}</code></a>${operation.deprecated === true && html` <span class="optional">deprecated</span>`}`,
    renderInline(operation.summary),
    others.map((other) => other.method).join(', ') || '–',
  ])
  // The document describes optional headers once more, under a second name.
  const headers = Object.entries(components.headers)
    .filter(([name]) => !name.startsWith('Optional-'))
    .map(([name, { description, example }]) => [
      html`<code id="header-${name}">${name}</code>`,
      renderInline(description),
      html`<code>${String(example)}</code>`,
    ])
  const body = html`<article class="article"><p class="crumbs"><a href="${sitePaths.docs}">Docs</a></p>
<h1 id="api">API reference</h1>
<p class="lead">${info.description}</p>
<p>Generated from the <a href="${sitePaths.openApi}">OpenAPI document</a> of this service, version ${info.version}.</p>
<h2 id="operations">Operations</h2>
${scrollingTable(['operation', 'what it does', 'other methods'], operations)}
<h2 id="authentication">Authentication</h2>
<p>Every request carries <code>Authorization: Bearer &lt;key&gt;</code>. ${Object.values(components.securitySchemes).map(({ description }) => description)}</p>
<h2 id="problems">Problems</h2>
<p>Every error is a problem with a stable code: see <a href="${sitePaths.problems}">all problems</a>.</p>
<h2 id="headers">Response headers</h2>
${scrollingTable(['header', 'meaning', 'example'], headers)}
<h2 id="schemas">Schemas</h2>
<ul>${Object.keys(components.schemas).map((name) => html`<li><a href="${sitePaths.schema(name)}">${name}</a></li>`)}</ul></article>`
  const sections = ['Operations', 'Authentication', 'Problems', 'Headers', 'Schemas']
  const aside = contents(sections.map((text) => ({ id: text.toLowerCase(), text })))
  return frame({ title: 'API reference', part: 'api', aside, body })
}

export function schemaPage(frame: SiteFrame, name: string, schema: Schema): string {
  const body = html`<article class="article"><p class="crumbs"><a href="${sitePaths.api}">API reference</a></p>
<h1>${name}</h1>
<p class="lead">${renderInline(schema.description ?? '')}</p>
<p>A member is always present unless it is marked as optional.</p>
${schemaTable(schema)}</article>`
  return frame({ title: name, part: 'api', body })
}

/** Such as `string or null` or `array of Task`, with links. */
export function schemaType(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = refName(schema.$ref)
    return html`<a href="${sitePaths.schema(name)}">${name}</a>`
  }
  if (schema.anyOf !== undefined) return html`${joined(schema.anyOf.map(schemaType), ' or ')}`
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum !== undefined)
    return html`one of ${joined(schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`))}`
  if (schema.items !== undefined)
    return html`array of ${schemaType(schema.items)}${[schema.type].flat().includes('null') && ' or null'}`
  const names = [schema.type ?? 'any value'].flat().join(' or ')
  return html`${names}${schema.format !== undefined && ` (${schema.format})`}`
}

/** Nested members are listed with their path. */
export function schemaTable(schema: Schema): Html {
  const rows = rowsOf(schema, '')
  return rows.length === 0 ? html`<p>${schemaType(schema)}</p>` : scrollingTable(['member', 'type', 'meaning'], rows)
}

const rowsOf = ({ properties = {}, required = [] }: Schema, prefix: string): Html[][] =>
  Object.entries(properties).flatMap(([name, member]) => [
    memberRow(`${prefix}${name}`, required.includes(name), member),
    ...rowsOf(member, `${prefix}${name}.`),
  ])

export const memberRow = (name: string, isRequired: boolean, schema: Schema, meaning = schema.description): Html[] => [
  html`<code>${name}</code>${!isRequired && html` <span class="optional">optional</span>`}`,
  schemaType(schema),
  renderInline(meaning ?? ''),
]
