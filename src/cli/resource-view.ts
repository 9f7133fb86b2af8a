import { describeTool } from '../app.ts'
import { formatCount } from '../lib/format-count.ts'
import { compileDefinition } from '../resources/declared/compile.ts'
import type { Definition, FieldDefinition } from '../resources/declared/definition.ts'
import { estimatedTokens } from '../web/keys/agent/responses.ts'
import { heading, print, sanitize } from './output.ts'
import { mayShrink, printTable } from './table.ts'

export type ResourceView = ReturnType<typeof viewOf>

/** What a declared resource looks like to scripts, agents and the operator. */
export function viewOf(definition: Definition) {
  const resource = compileDefinition(definition)
  const { name, path, permission, description, example, list } = resource
  const tool = describeTool(resource)
  return {
    ...{ name, state: definition.state },
    operation: { method: 'GET', path, permission, description, limit: list?.limit ?? 0, fields: definition.fields },
    tool: { ...tool, tokens: estimatedTokens(Buffer.byteLength(JSON.stringify(tool))) },
    response: example,
    commands: ['import', 'sync', 'list', 'show', 'delete'].map((verb) => `vitrine ${definition.singular} ${verb}`),
  }
}

export function printView({ name, operation, tool, response, commands }: ResourceView): void {
  const { method, path, permission, limit, fields } = operation
  section(`${method} ${path}`, `needs ${permission}, and returns at most ${limit} ${name}`)
  printTable(Object.entries(fields), {
    FIELD: ([field]) => field,
    TYPE: ([, field]) => typeText(field),
    DESCRIPTION: mayShrink(([, { description }]) => description),
  })
  section(`Tool ${tool.name}`, `about ${formatCount(tool.tokens)} tokens`)
  print(sanitize(tool.description))
  printTable(Object.entries(tool.inputSchema.properties), {
    ARGUMENT: ([argument]) => argument,
    TYPE: ([, { type }]) => [type ?? []].flat().join(' or '),
    DESCRIPTION: mayShrink(([, { description = '' }]) => description),
  })
  section('Response', 'with the example')
  print(JSON.stringify(response, null, 2).split('\n').map(sanitize).join('\n'))
  section('Commands', commands.join(', '))
}

const section = (title: string, about: string): void => print(`\n${heading(title)}: ${about}`)

function typeText({ type, nullable, maxLength, maxItems, minimum, maximum, values }: FieldDefinition): string {
  return [
    `${type}${nullable ? ' or null' : ''}`,
    ...(values === undefined ? [] : [values.join(' | ')]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems} items`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(maximum === undefined ? [] : [`to ${maximum}`]),
  ].join(', ')
}
