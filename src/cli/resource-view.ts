import type { describeTool } from '../app.ts'
import { formatCount } from '../lib/format-count.ts'
import type { Definition, FieldDefinition } from '../resources/declared/definition.ts'
import type { Resource } from '../resources/define.ts'
import { heading, print, sanitize } from './output.ts'
import { mayShrink, printTable } from './table.ts'

export interface ResourceView {
  definition: Definition
  resource: Resource
  tool: ReturnType<typeof describeTool>
  tokens: number
}

/** What a declared resource looks like to scripts, agents and the operator. */
export function printView({ definition, resource, tool, tokens }: ResourceView): void {
  const { name, path, permission, example, table, list } = resource
  section(`GET ${path}`, `needs ${permission}, returns at most ${list?.limit} ${name}`)
  printTable(Object.entries(definition.fields), {
    FIELD: ([field]) => field,
    TYPE: ([, field]) => typeText(field),
    DESCRIPTION: mayShrink(([, { description }]) => description),
  })
  section(`Tool ${tool.name}`, `about ${formatCount(tokens)} tokens`)
  print(sanitize(tool.description))
  print('')
  printTable(Object.entries(tool.inputSchema.properties), {
    ARGUMENT: ([argument]) => argument,
    TYPE: ([, { type }]) => [type ?? []].flat().join(' or '),
    DESCRIPTION: mayShrink(([, { description = '' }]) => description),
  })
  section('A response', `as in the example`)
  print(JSON.stringify(example, null, 2).split('\n').map(sanitize).join('\n'))
  section('Commands', ROW_COMMANDS.map((verb) => `vitrine ${table?.singular} ${verb}`).join(', '))
  print('')
}

export const ROW_COMMANDS = ['import', 'sync', 'list', 'show', 'delete']

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
