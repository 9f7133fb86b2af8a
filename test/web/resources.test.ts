import assert from 'node:assert/strict'
import { test } from 'node:test'
import { object, string } from '../../src/lib/schema.ts'
import { defineResource } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { createKeyOnPage, fieldOf, KEYS, signedIn } from '../support/person.ts'
import { startService } from '../support/service.ts'

const suppliers = defineResource({
  name: 'suppliers',
  path: '/suppliers',
  permission: 'suppliers:read',
  summary: 'List suppliers',
  description: 'Returns the suppliers.',
  body: object({ name: string() }),
  schemas: {},
  example: { name: 'Müller' },
  tool: {
    name: 'list_suppliers',
    title: 'List suppliers',
    description: 'List the suppliers.',
    arguments: object({}, { additionalProperties: false }),
  },
  read: async () => ({ body: Buffer.from('{"name":"Müller"}'), until: Number.POSITIVE_INFINITY }),
})

test('the form offers the permissions of the resources that the app was given, all ticked', async (t) => {
  const service = await startService(t, { resources: [...resources, suppliers] })
  const { text } = await (await signedIn(service)).get(`${KEYS}/new`)
  const boxes = [...text.matchAll(/name="permissions" value="([^"]+)" checked><span>([^<]+) </g)]
  assert.deepEqual(
    boxes.map(([, name, meaning]) => [name, meaning]),
    [
      ['workspace:read', 'Read the workspace'],
      ['tasks:read', 'List current tasks'],
      ['suppliers:read', 'List suppliers'],
    ],
  )
})

test('a permission of a resource that the app was not given cannot be chosen', async (t) => {
  const service = await startService(t, { resources: [suppliers] })
  const browser = await signedIn(service)
  const { answer } = await createKeyOnPage(browser)
  assert.equal(answer.status, 422)
  assert.equal((await service.keys.list('acme')).length, 1)
})

test('a key created on the page reads the resource it was created for, as its example shows', async (t) => {
  const service = await startService(t, { resources: [...resources, suppliers] })
  const browser = await signedIn(service)
  for (const { permission, path } of [...resources, suppliers]) {
    const page = await browser.get(`${KEYS}/new`)
    const fields = { csrf: fieldOf(page, 'csrf'), once: fieldOf(page, 'once'), label: 'x', expiry: '30' }
    const answer = await browser.post(KEYS, { ...fields, permissions: permission })
    const [, url = '', token] = /curl (\S+) \\\n {2}-H &#34;Authorization: Bearer (\w+)/.exec(answer.text) ?? []
    assert.equal(url, service.url + path)
    assert.equal((await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status, 200)
  }
})
