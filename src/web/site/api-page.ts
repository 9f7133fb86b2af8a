import { type Html, html, type Part } from '../../lib/html.ts'
import { sitePaths } from '../paths.ts'
import { contents, type Frame } from './frame.ts'
import { renderInline, scrollable } from './markdown.ts'
import { nameOf, type OpenApi, operationsOf, type Schema } from './openapi.ts'

/** The list of operations. Each has a page of its own: together they would be too large. */
export function apiIndexPage(frame: Frame, document: OpenApi): string {
  const { info, components } = document
  const operations = operationsOf(document).map(
    ({ method, path, operation, others }) =>
      html`<tr><td><a href="${sitePaths.operation(operation.operationId)}"><code>${method} ${path}</code></a>${operation.deprecated === true && html` <span class="optional">deprecated</span>`}</td><td>${renderInline(operation.summary)}</td><td>${others.map((other) => other.method).join(', ') || '–'}</td></tr>`,
  )
  const body = html`<article class="article"><p class="crumbs"><a href="${sitePaths.docs}">Docs</a></p>
<h1 id="api">API reference</h1>
<p class="lead">${info.description}</p>
<p>Created from the <a href="${sitePaths.openApi}">OpenAPI document</a> of this service, version ${info.version}.</p>
<h2 id="operations">Operations</h2>
${scrollable(html`<table><thead><tr><th scope="col">operation</th><th scope="col">what it does</th><th scope="col">also answers</th></tr></thead><tbody>${operations}</tbody></table>`)}
<h2 id="authentication">Authentication</h2>
<p>Every request carries <code>Authorization: Bearer &lt;key&gt;</code>. ${Object.values(components.securitySchemes).map(({ description }) => description)}</p>
<h2 id="problems">Problems</h2>
<p>Every error is a problem with a stable code: see <a href="${sitePaths.problems}">all problems</a>.</p>
<h2 id="headers">Headers of responses</h2>
${headersTable(document)}
<h2 id="schemas">Schemas</h2>
<ul>${Object.keys(components.schemas).map((name) => html`<li><a href="${sitePaths.schema(name)}">${name}</a></li>`)}</ul></article>`
  const sections = ['Operations', 'Authentication', 'Problems', 'Headers', 'Schemas']
  return frame({
    title: 'API reference',
    part: 'api',
    aside: contents(sections.map((text) => ({ id: text.toLowerCase(), text }))),
    body,
  })
}

function headersTable({ components }: OpenApi): Html {
  // Those that may be missing are described once more, under a name of their own.
  const headers = Object.entries(components.headers).filter(([name]) => !name.startsWith('Optional-'))
  return scrollable(
    html`<table><thead><tr><th scope="col">header</th><th scope="col">meaning</th><th scope="col">example</th></tr></thead><tbody>${headers.map(
      ([name, header]) =>
        html`<tr><td id="header-${name}"><code>${name}</code></td><td>${renderInline(header.description)}</td><td><code>${String(header.example)}</code></td></tr>`,
    )}</tbody></table>`,
  )
}

export function schemasPage(frame: Frame, { components }: OpenApi): string {
  const schemas = Object.entries(components.schemas)
  const body = html`<article class="article"><p class="crumbs"><a href="${sitePaths.api}">API reference</a></p>
<h1 id="schemas">Schemas</h1>
<p class="lead">What requests and responses are made of. A member is always there unless it is marked as optional.</p>
${schemas.map(
  ([name, schema]) => html`<h2 id="${name}">${name}</h2>
<p>${renderInline(schema.description ?? '')}</p>
${schemaTable(schema)}
`,
)}</article>`
  return frame({
    title: 'Schemas',
    part: 'api',
    aside: contents(schemas.map(([name]) => ({ id: name, text: name }))),
    body,
  })
}

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
