import { STATUS_CODES } from '../../lib/node-http.ts'
import {
  type ApiContent,
  type ApiOperation,
  type DocumentedResponse,
  type OpenApi,
  refName,
  type Schema,
} from '../../lib/openapi.ts'
import { problemCodes } from '../../problems/catalogue.ts'
import { type Html, html, joined, type Part } from '../html.ts'
import { sitePaths } from '../paths.ts'
import { contents, type SiteFrame } from './frame.ts'
import { renderInline, scrollingTable } from './markdown.ts'

interface NamedOperation {
  method: string
  path: string
  operation: ApiOperation
}

export function operationsOf({ paths }: OpenApi): NamedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) => {
    // The first; the document also has HEAD and OPTIONS.
    const [first] = Object.entries(item)
    return first === undefined ? [] : [{ method: first[0].toUpperCase(), path, operation: first[1] }]
  })
}

/** Each operation and schema has its own page: together they would be too large. */
export function apiIndexPage(frame: SiteFrame, document: OpenApi): string {
  const { info, components } = document
  const operations = operationsOf(document).map(({ method, path, operation }) => [
    html`<a href="${sitePaths.operation(operation.operationId)}"><code>${method} ${path}</code></a>${operation.deprecated === true && html` <span class="optional">deprecated</span>`}`,
    renderInline(operation.summary),
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
<p class="lead">${renderInline(info.description)}</p>
<p>Generated from the <a href="${sitePaths.openApi}">OpenAPI document</a> of this service, version ${info.version}.</p>
<h2 id="operations">Operations</h2>
${scrollingTable(['operation', 'what it does'], operations)}
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
function schemaType(schema: Schema): Html {
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
function schemaTable(schema: Schema): Html {
  const rows = rowsOf(schema, '')
  return rows.length === 0 ? html`<p>${schemaType(schema)}</p>` : scrollingTable(['member', 'type', 'meaning'], rows)
}

const rowsOf = ({ properties = {}, required = [] }: Schema, prefix: string): Html[][] =>
  Object.entries(properties).flatMap(([name, member]) => [
    memberRow(`${prefix}${name}`, required.includes(name), member),
    ...rowsOf(member, `${prefix}${name}.`),
  ])

const memberRow = (name: string, isRequired: boolean, schema: Schema, meaning = schema.description): Html[] => [
  html`<code>${name}</code>${!isRequired && html` <span class="optional">optional</span>`}`,
  schemaType(schema),
  renderInline(meaning ?? ''),
]

export function operationPage(frame: SiteFrame, document: OpenApi, named: NamedOperation): string {
  const { method, path, operation } = named
  const statuses = Object.entries(operation.responses)
  const body = html`<article class="article"><p class="crumbs"><a href="${sitePaths.api}">API reference</a></p>
<h1><code>${method} ${path}</code></h1>
<p class="lead">${renderInline(operation.summary)}</p>
${operation.deprecated === true && html`<p><strong>This operation is deprecated.</strong> <a href="${sitePaths.guide('lifecycle')}">How the API changes</a> explains what that means.</p>`}
<p>${renderInline(operation.description)}</p>
<h2 id="request">Request</h2>
<pre tabindex="0"><code>${curl(document, named)}</code></pre>
${parameters(operation)}
${Object.entries(operation.requestBody?.content ?? {}).map(([type, content]) => bodyOf(type, content, document, true))}
${statuses.map(([status, response]) => responseOf(status, response, document))}</article>`
  const sections = [
    { id: 'request', text: 'Request' },
    ...statuses.map(([status]) => ({ id: `status-${status}`, text: statusTitle(status) })),
  ]
  return frame({ title: `${method} ${path}`, part: 'api', aside: contents(sections), body })
}

/** Without a configured URL, the command uses a shell variable. */
function curl({ servers }: OpenApi, { path, operation }: NamedOperation): string {
  const url = servers?.[0]?.url ?? '/'
  const target = url === '/' ? `"$VITRINE_URL${path}"` : `${url}${path}`
  const headers = (operation.parameters ?? []).flatMap(({ name, example }) =>
    example === undefined ? [] : [`${name}: ${example}`],
  )
  const [body] = Object.entries(operation.requestBody?.content ?? {}).flatMap(([type, content]) =>
    examplesOf(content).map(({ value }) => ({ type, value })),
  )
  const parts = [
    'curl -H "Authorization: Bearer $VITRINE_KEY"',
    ...(body === undefined ? [] : [`-H "Content-Type: ${body.type}"`]),
    ...headers.map((header) => `-H "${header}"`),
    ...(body === undefined ? [] : [`-d '${JSON.stringify(body.value)}'`]),
    target,
  ]
  return parts.join(body === undefined ? ' ' : ' \\\n  ')
}

const parameters = ({ parameters = [] }: ApiOperation): Part =>
  parameters.length > 0 &&
  html`<h3>Headers</h3>${scrollingTable(
    ['header', 'type', 'meaning'],
    parameters.map(({ name, required, schema, description }) => memberRow(name, required, schema, description)),
  )}`

function responseOf(status: string, response: DocumentedResponse, document: OpenApi): Html {
  const { description, headers = {}, content = {} } = response
  const names = Object.keys(headers)
  return html`<h2 id="status-${status}">${statusTitle(status)}</h2>
<p>${withProblemLinks(description)}</p>
${names.length > 0 && html`<p class="names">Headers: ${joined(names.map((name) => html`<a href="${sitePaths.api}#header-${name}"><code>${name}</code></a>`))}</p>`}
${Object.entries(content).map(([type, one]) => bodyOf(type, one, document, status === '200'))}`
}

const statusTitle = (status: string): string =>
  status === 'default' ? 'Other problems' : `${status} ${STATUS_CODES[status] ?? ''}`

/** Named schemas are linked to, others are shown. */
function bodyOf(type: string, content: ApiContent, { components }: OpenApi, showsExample: boolean): Html {
  const { schema } = content
  const isNamed = schema.$ref !== undefined || schema.anyOf !== undefined
  const members = isNamed ? [] : Object.values(schema.properties ?? {}).map(({ $ref, items }) => $ref ?? items?.$ref)
  const parts = members.filter((ref) => ref !== undefined).map(refName)
  return html`<p>Body: <code>${type}</code>${isNamed && [', ', schemaType(schema)]}</p>
${!isNamed && schemaTable(schema)}
${parts.map((name) => html`<h3>${name}</h3>${schemaTable(components.schemas[name] ?? {})}`)}
${examplesOf(content).map(
  ({ name, value }, index) =>
    html`<details${showsExample && index === 0 && html` open`}><summary>Example${name !== '' && html`: <code>${name}</code>`}</summary><pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre></details>`,
)}`
}

const examplesOf = ({ example, examples = {} }: ApiContent): { name: string; value: unknown }[] => [
  ...(example === undefined ? [] : [{ name: '', value: example }]),
  ...Object.entries(examples).map(([name, { value }]) => ({ name, value })),
]

const withProblemLinks = (description: string): Html =>
  renderInline(description, (text) => {
    const code = html`<code>${text}</code>`
    return problemCodes.some((each) => each === text) ? html`<a href="${sitePaths.problem(text)}">${code}</a>` : code
  })
