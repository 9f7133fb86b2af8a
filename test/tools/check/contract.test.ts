import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formatsPlugin from 'ajv-formats'
import { readContract } from '../../../src/tools/check/contract.ts'

const document = JSON.parse(readFileSync(new URL('../../../contract/openapi.json', import.meta.url), 'utf8'))
const ajv = new Ajv2020({ strict: false, validateSchema: false })
formatsPlugin.default(ajv)
ajv.addSchema(document, 'openapi')

/** The value with one thing wrong each time: a property left out, added or of another type. */
function* spoilt(value: unknown): Generator<unknown> {
  yield 17
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) for (const each of spoilt(item)) yield value.with(at, each)
    yield Array.from({ length: 101 }, () => value[0])
    return
  }
  yield { ...value, unheardOf: 1 }
  for (const [name, property] of Object.entries(value)) {
    const { [name]: _, ...rest } = value as Record<string, unknown>
    yield rest
    for (const each of [null, 'neither a date nor an address', ...spoilt(property)]) yield { ...value, [name]: each }
  }
}

test('valid and broken examples of the document are judged as ajv judges them', () => {
  const contract = readContract()
  let refused = 0
  const visit = (value: object, pointer: string): void => {
    const { schema, example, examples = {} } = value as { schema?: object; example?: unknown; examples?: object }
    const bodies = [example, ...Object.values(examples).map((each) => each.value)].filter((each) => each !== undefined)
    for (const body of schema === undefined ? [] : bodies)
      for (const each of [body, ...spoilt(body)]) {
        const fault = contract.error(schema, each)
        const isValid = ajv.validate(`openapi#${pointer}/schema`, each)
        assert.equal(fault === undefined, isValid, `${pointer}: ${fault} ${JSON.stringify(each)}`)
        if (!isValid) refused++
      }
    for (const [name, each] of Object.entries(value))
      if (typeof each === 'object' && each !== null && name !== 'schema')
        visit(each, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  }
  visit(document.paths, '/paths')
  assert.ok(refused > 500)
})

test("only Vitrine's own document declares resources", () => {
  const { responses } = document.paths['/tasks'].get
  for (const [title, declared] of [
    ['Vitrine', ['/orders']],
    ['Gateway', []],
  ] as const) {
    const contract = readContract()
    contract.addDeclared({ ...document, info: { title }, paths: { '/orders': { get: { responses } } } })
    assert.deepEqual(contract.declared, declared)
  }
})
