import { arrayOf, object, reference } from '../../../src/lib/schema.ts'
import type { Columns } from '../../../src/lists/column.ts'
import type { List } from '../../../src/lists/definition.ts'
import { defineResource, type Resource, rowFields } from '../../../src/resources/define.ts'
import { toolArguments } from '../../../src/resources/list-arguments.ts'

/** A minimal resource with a list, whose tool has the arguments of some fields. */
export function plainResource(list: List, filters: readonly string[] = []): Resource {
  const { name, singular, fields, limit } = list
  const row = `${singular.charAt(0).toUpperCase()}${singular.slice(1)}`
  const columns = Object.fromEntries(fields.map((field) => [field.name, field])) as unknown as Columns
  return defineResource({
    ...{ name, path: `/${name}`, permission: `${name}:read`, summary: `List ${name}`, description: `Returns ${name}.` },
    body: object({ [name]: arrayOf(reference(row), { maxItems: limit }) }),
    schemas: { [row]: object(rowFields(columns), { description: `One of the ${name}.` }) },
    example: { [name]: [] },
    tool: {
      name: `list_${name}`,
      title: `List ${name}`,
      description: `List ${name}.`,
      ...toolArguments(list, filters),
    },
    list,
  })
}
