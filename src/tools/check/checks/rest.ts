import { isObject } from '../../../lib/checker.ts'
import { type Check, checksOf, probe } from '../check.ts'
import type { Client } from '../client.ts'
import { diagnoses } from '../diagnosis.ts'
import {
  Deviation,
  expect,
  expectDocumented,
  expectDocumentedHeaders,
  expectHeader,
  expectResponse,
} from '../expect.ts'
import { headExchange } from '../own-connection.ts'
import { checkCompressedEtag, checkEtag } from './etags.ts'

const CHALLENGE = 'Bearer realm="vitrine"'

/** What the contract says of a resource, such as `/tasks`. */
export function restChecks(path: string): Check[] {
  const group = `rest.${path.slice(1)}` as const
  const headers = { Allow: 'GET, HEAD' }
  const options = { status: 204, headers, hasNoBody: true, meaning: { 200: diagnoses.methodFiltered } }
  const refused = { status: 405, code: 'method_not_allowed', headers }
  return checksOf(
    group,
    {
      get: [`GET ${path} answers as the schema says, with its headers`, 'Clients rely on every field being there.'],
      head: [`HEAD ${path} answers as GET does, without a body`, 'Monitors and caches use it.'],
      etag: [
        `The ETag of GET ${path} is strong and gets a 304`,
        'Polling clients would transfer the whole body each time.',
      ],
      'compressed-etag': [
        `The ETag of a compressed response of ${path} gets a 304 too`,
        'Most clients accept compression: they would never get a 304.',
      ],
      options: [`OPTIONS ${path} says what is allowed, and allows no web page`, 'Gateways ask for it.'],
      method: [`Writing to ${path} is refused as a problem`, 'Clients tell a wrong method by its code.'],
      unauthorized: [
        `GET ${path} without a valid key is a 401 that says how to send one`,
        'Clients tell a missing key from a bad one, and must never see data without one.',
      ],
    },
    {
      get: (client) => checkGet(client, path),
      head: (client) => checkHead(client, path),
      etag: (client) => checkEtag(client, path),
      'compressed-etag': (client) => checkCompressedEtag(client, path),
      options: probe({ method: 'OPTIONS', path, expect: options }),
      method: probe({ method: 'POST', path, body: '{}', expect: refused }, { method: 'DELETE', path, expect: refused }),
      unauthorized: (client) => checkUnauthorized(client, path),
    },
  )
}

async function checkGet(client: Client, path: string): Promise<string | undefined> {
  const response = await client.read(path)
  if (response.status === 403) {
    expectResponse(response, { status: 403, code: 'forbidden' })
    return `the key may not read ${path}: its 403 was checked instead`
  }
  if (response.status === 404 && client.contract.requiredHeaders('GET', path, 404) !== undefined) {
    expectResponse(response, { status: 404, code: 'workspace_not_found' })
    return `the workspace of the key is archived or deleted: its 404 was checked instead`
  }
  expectDocumented(client.contract, response)
  expectHeader(response, 'Cache-Control', 'private, no-cache')
  return undefined
}

async function checkHead(client: Client, path: string): Promise<undefined> {
  const read = await client.readable(path)
  const response = await client.send({ method: 'HEAD', path, withKey: true }, headExchange(client.target))
  expectResponse(response, { status: read.status })
  const got = `${response.body.length} bytes after the head`
  expect(response.body.length === 0, response, 'no body', { got, diagnosis: diagnoses.headHasBody })
  expectDocumentedHeaders(client.contract, response)
  const { 'content-length': length, etag } = response.headers
  // The body that was read may have changed since, or have been compressed.
  const isOther = etag !== read.headers.etag || read.headers['content-encoding'] !== undefined
  const isSame = isOther || length === undefined || Number(length) === read.body.length
  expect(isSame, response, `Content-Length: ${read.body.length}`, { got: `Content-Length: ${length}` })
}

async function checkUnauthorized(client: Client, path: string): Promise<undefined> {
  const without = await client.send({ method: 'GET', path })
  const diagnosis = without.status === 200 ? diagnoses.cached : diagnoses.anotherServer
  expect(without.status === 401, without, 'status 401', { diagnosis })
  expectResponse(without, { status: 401, code: 'unauthorized', headers: { 'WWW-Authenticate': CHALLENGE } })
  expectDocumentedHeaders(client.contract, without)
  // Not in the form of a key: the deployment records refused keys.
  const bad = await client.send({ method: 'GET', path, headers: { Authorization: 'Bearer not-a-key' } })
  expectResponse(bad, { status: 401, code: 'unauthorized', meaning: { 200: diagnoses.cached } })
  const isUnseen = bad.headers['www-authenticate'] === CHALLENGE
  const otherwise = isUnseen ? { ifOther: diagnoses.authorizationRemoved } : {}
  expectHeader(bad, 'WWW-Authenticate', `${CHALLENGE}, error="invalid_token"`, otherwise)
}

/** What a schema cannot say of the tasks. */
export const taskOrderCheck: Check = {
  id: 'rest.tasks.order',
  title: 'Tasks come by due date, earliest first, those without one last',
  why: 'Clients take the first tasks for the most urgent ones.',
  async run(client) {
    const { json } = await client.readable('/tasks')
    const tasks = isObject(json) && Array.isArray(json.tasks) ? json.tasks : []
    const dates = tasks.map((task) =>
      isObject(task) && typeof task.dueAt === 'string' ? Date.parse(task.dueAt) : Number.POSITIVE_INFINITY,
    )
    const at = dates.findIndex((date, i) => i > 0 && date < (dates[i - 1] ?? 0))
    const got = `task ${at + 1} is due before the one above it`
    if (at !== -1) throw new Deviation('GET /tasks: tasks by due date', got, diagnoses.bodyChanged)
    return tasks.length === 0 ? 'the workspace has no current tasks: nothing to put in order' : undefined
  },
}
