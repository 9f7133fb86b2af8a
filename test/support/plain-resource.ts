import { arrayOf, object, reference } from '../../src/lib/schema.ts'
import { defineResource, publishedFields, type Resource } from '../../src/resources/define.ts'
import type { DefinedList } from '../../src/resources/list.ts'

/** A minimal list. */
export function plainResource(list: DefinedList): Resource {
  const { name, singular, columns } = list.table
  const row = `${singular.charAt(0).toUpperCase()}${singular.slice(1)}`
  return defineResource({
    ...{ name, path: `/${name}`, permission: `${name}:read`, summary: `List ${name}`, description: `Returns ${name}.` },
    body: object({ [name]: arrayOf(reference(row), { maxItems: list.table.listing.limit }) }),
    schemas: { [row]: object(publishedFields(columns), { description: `One of the ${name}.` }) },
    example: { [name]: [] },
    tool: { name: `list_${name}`, title: `List ${name}`, description: `List ${name}.` },
    list,
  })
}
