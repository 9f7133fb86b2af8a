import type { QueryableList } from '../../src/database/lists/reader.ts'
import { arrayOf, object, reference } from '../../src/lib/schema.ts'
import type { Current } from '../../src/lists/current.ts'
import { defineResource, publishedFields, type Resource } from '../../src/resources/define.ts'
import { toolArguments } from '../../src/resources/list-arguments.ts'

/** A minimal list. */
export function plainResource(list: QueryableList, current?: Current): Resource {
  const { name, singular, columns } = list.table
  const row = `${singular.charAt(0).toUpperCase()}${singular.slice(1)}`
  return defineResource({
    ...{ name, path: `/${name}`, permission: `${name}:read`, summary: `List ${name}`, description: `Returns ${name}.` },
    body: object({ [name]: arrayOf(reference(row), { maxItems: list.table.listing.limit }) }),
    schemas: { [row]: object(publishedFields(columns), { description: `One of the ${name}.` }) },
    example: { [name]: [] },
    tool: {
      name: `list_${name}`,
      title: `List ${name}`,
      description: `List ${name}.`,
      ...toolArguments(list.table, current),
    },
    list,
  })
}
