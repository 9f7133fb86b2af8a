import { Ajv2020 } from 'ajv/dist/2020.js'
import formatsPlugin from 'ajv-formats'
import type { Resource } from '../src/resources/define.ts'

/** Where the examples of resources differ from their schemas; a field that the schema does not name is a difference. */
export const exampleFaults = (resources: readonly Resource[]): string[] =>
  resources.flatMap(({ name, body, schemas, example }) => {
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    formatsPlugin.default(ajv)
    for (const [title, schema] of Object.entries(schemas))
      ajv.addSchema({ ...schema, unevaluatedProperties: false }, title)
    ajv.validate({ ...body, unevaluatedProperties: false }, example)
    return (ajv.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `the example of ${name}${instancePath} ${message} (${Object.values(params).join()})`,
    )
  })
