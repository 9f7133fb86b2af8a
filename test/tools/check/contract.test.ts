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

/** The example bodies of the document, by operation, status and type. */
function* examples(): Generator<[method: string, path: string, status: number, type: string, body: unknown]> {
  for (const [path, item] of Object.entries<Record<string, { responses: object }>>(document.paths))
    for (const [method, { responses }] of Object.entries(item))
      for (const [status, { content = {} }] of Object.entries(responses))
        for (const [type, { example, examples = {} }] of Object.entries<Record<string, object>>(content))
          for (const body of [example, ...Object.values(examples).map(({ value }) => value)])
            if (body !== undefined && status !== 'default') yield [method, path, Number(status), type, body]
}

/** The value with one thing wrong each time: a member left out, added or of another type. */
function* spoilt(value: unknown): Generator<unknown> {
  yield 17
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) for (const each of spoilt(item)) yield value.with(at, each)
    yield Array.from({ length: 101 }, () => value[0])
    return
  }
  yield { ...value, unheardOf: 1 }
  for (const [name, member] of Object.entries(value)) {
    const { [name]: _, ...rest } = value as Record<string, unknown>
    yield rest
    for (const each of [null, 'neither a date nor an address', ...spoilt(member)]) yield { ...value, [name]: each }
  }
}

test('valid and broken bodies are judged as ajv judges them', () => {
  const contract = readContract()
  let refused = 0
  for (const [method, path, status, type, body] of examples()) {
    const steps = ['paths', path, method, 'responses', String(status), 'content', type, 'schema']
    const pointer = steps.map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
    const validate = ajv.getSchema(`openapi#/${pointer}`)
    assert.ok(validate, pointer)
    assert.equal(contract.bodyError(method, path, status, type, body), undefined)
    for (const each of spoilt(body)) {
      const fault = contract.bodyError(method, path, status, type, each)
      assert.equal(fault === undefined, validate(each), `${pointer}: ${fault} ${JSON.stringify(each)}`)
      if (fault !== undefined) refused++
    }
  }
  assert.ok(refused > 500)
})

test("only Vitrine's own document declares resources", () => {
  const withInfo = (title: string) => {
    const contract = readContract()
    const { responses } = document.paths['/tasks'].get
    contract.addDeclared({ ...document, info: { title }, paths: { '/orders': { get: { responses } } } })
    return contract.declared
  }
  assert.deepEqual(withInfo('Vitrine'), ['/orders'])
  assert.deepEqual(withInfo('Gateway'), [])
})

test("a schema's alternatives within alternatives are not followed forever", () => {
  const contract = readContract()
  const refTo = (n: number) => ({ $ref: `#/components/schemas/${n}` })
  const doubled = Array.from({ length: 100 }, (_, n) => [n, { anyOf: [refTo(n + 1), refTo(n + 1)] }])
  const components = { ...document.components, schemas: { ...Object.fromEntries(doubled), 100: { const: 1 } } }
  const responses = { 200: { content: { 'application/json': { schema: refTo(0) } } } }
  contract.addDeclared({ ...document, components, paths: { '/orders': { get: { responses } } } })
  assert.throws(() => contract.bodyError('GET', '/orders', 200, 'application/json', {}), /schema is too large/)
})
