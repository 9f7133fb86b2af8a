import { isObject } from '../../../lib/checker.ts'
import { type Check, checksAt, checksOf, probe } from '../check.ts'
import type { CheckClient } from '../client.ts'
import { type Diagnosis, diagnoses } from '../diagnosis.ts'
import { expect, expectDocumented, expectDocumentedHeaders, expectHeader, expectResponse, Skip } from '../expect.ts'

const CHALLENGE = 'Bearer realm="vitrine"'

export function restChecks(path: string): Check[] {
  const headers = { Allow: 'GET, HEAD' }
  const options = { status: 204, headers, hasNoBody: true, meaning: { 200: diagnoses.methodFiltered } }
  const refused = { status: 405, code: 'method_not_allowed', headers }
  return checksAt(path, 'rest.{path}', {
    get: (client) => checkGet(client, path),
    head: (client) => checkHead(client, path),
    etag: (client) => checkEtag(client, path),
    'compressed-etag': (client) => checkCompressedEtag(client, path),
    options: probe({ method: 'OPTIONS', path, expect: options }),
    method: probe({ method: 'POST', path, body: '{}', expect: refused }, { method: 'DELETE', path, expect: refused }),
    unauthorized: (client) => checkUnauthorized(client, path),
  })
}

async function checkGet(client: CheckClient, path: string): Promise<string | undefined> {
  const response = await client.read(path)
  if (response.status === 403) {
    expectResponse(response, { status: 403, code: 'forbidden' })
    throw new Skip(`the key may not read ${path}: only its 403 was checked`)
  }
  if (response.status === 404 && client.contract.requiredHeaders('GET', path, 404) !== undefined) {
    expectResponse(response, { status: 404, code: 'workspace_not_found' })
    throw new Skip(`the key's workspace is archived or deleted: only its 404 was checked`)
  }
  expectDocumented(client.contract, response)
  expectHeader(response, 'Cache-Control', 'private, no-cache')
  return undefined
}

async function checkHead(client: CheckClient, path: string): Promise<undefined> {
  const read = await client.readable(path)
  const response = await client.send({ method: 'HEAD', path, withKey: true })
  expectResponse(response, { status: read.status })
  expectDocumentedHeaders(client.contract, response)
  const { 'content-length': length, etag } = response.headers
  // The body may have changed since it was read, or have been compressed.
  const isOther = etag !== read.headers.etag || read.headers['content-encoding'] !== undefined
  const isSame = isOther || length === undefined || Number(length) === read.body.length
  expect(isSame, response, `Content-Length: ${read.body.length}`, diagnoses.bodyChanged, `Content-Length: ${length}`)
}

/** The data is unlikely to change more often between consecutive requests. */
const MAX_CHANGES = 2

async function checkEtag(client: CheckClient, path: string): Promise<undefined> {
  const read = await client.readable(path)
  expectHeader(read, 'ETag', /^"[^"]+"$/, { ifOther: diagnoses.etagWeakened })
  const { etag = '' } = read.headers
  for (const other of client.contract.pathsWith('GET').filter((each) => each !== path)) {
    const isOwn = (await client.read(other)).headers.etag !== etag
    expect(isOwn, read, `a different ETag than ${other}`, diagnoses.etagReplaced, `ETag: ${etag}`)
  }
  await expectNotModified(client, path, etag, {}, async () => {
    const any = await client.send({ method: 'GET', path, withKey: true, headers: { 'If-None-Match': '*' } })
    return any.status === 304 ? diagnoses.etagReplaced : diagnoses.conditionIgnored
  })
  const other = await client.send({ method: 'GET', path, withKey: true, headers: { 'If-None-Match': '"another"' } })
  expectResponse(other, { status: 200, meaning: { 304: diagnoses.cached } })
}

async function checkCompressedEtag(client: CheckClient, path: string): Promise<string> {
  await client.readable(path)
  const headers = { 'Accept-Encoding': 'gzip, br' }
  const response = await client.send({ method: 'GET', path, withKey: true, headers })
  expectResponse(response, { status: 200 })
  const { 'content-encoding': encoding, etag, vary = '' } = response.headers
  if (encoding === undefined) throw new Skip('nothing compresses the responses here')
  expect(etag !== undefined, response, 'an ETag on the compressed response too', diagnoses.etagWeakened, 'no ETag')
  const varies = /accept-encoding|\*/i.test(vary)
  expect(varies, response, 'Vary: Accept-Encoding', diagnoses.varyMissing, `Vary: ${vary}`)
  expectDocumented(client.contract, response)
  await expectNotModified(client, path, etag, headers, async () => diagnoses.etagChanged)
  return `responses are compressed (${encoding}), not by Vitrine`
}

/** If the body has changed since then, the new ETag is tried, as a client would. */
async function expectNotModified(
  client: CheckClient,
  path: string,
  etag: string,
  headers: Record<string, string>,
  diagnose: () => Promise<Diagnosis>,
): Promise<void> {
  let sent = etag
  for (let changes = 0; ; changes++) {
    const conditional = { ...headers, 'If-None-Match': sent }
    const response = await client.send({ method: 'GET', path, withKey: true, headers: conditional })
    if (response.status !== 200) {
      expectResponse(response, { status: 304, hasNoBody: true })
      return expectDocumentedHeaders(client.contract, response)
    }
    const { etag: next = sent } = response.headers
    const isChanged = next !== sent && changes < MAX_CHANGES
    if (!isChanged)
      expect(false, response, `status 304 to If-None-Match: ${sent}`, await diagnose(), `200 with ETag: ${next}`)
    sent = next
  }
}

async function checkUnauthorized(client: CheckClient, path: string): Promise<undefined> {
  const without = await client.send({ method: 'GET', path })
  const refused = { status: 401, code: 'unauthorized', meaning: { 200: diagnoses.cached } }
  expectResponse(without, { ...refused, headers: { 'WWW-Authenticate': CHALLENGE } })
  expectDocumentedHeaders(client.contract, without)
  // The deployment records refused keys, so this does not look like a key.
  const bad = await client.send({ method: 'GET', path, headers: { Authorization: 'Bearer not-a-key' } })
  expectResponse(bad, refused)
  const isUnseen = bad.headers['www-authenticate'] === CHALLENGE
  const otherwise = isUnseen ? { ifOther: diagnoses.authorizationRemoved } : {}
  expectHeader(bad, 'WWW-Authenticate', `${CHALLENGE}, error="invalid_token"`, otherwise)
}

/** A schema cannot express the order. */
export const taskOrderCheck: Check[] = checksOf('rest.tasks', {
  order: async (client) => {
    const response = await client.readable('/tasks')
    const { json } = response
    const tasks = isObject(json) && Array.isArray(json.tasks) ? json.tasks : []
    const dates = tasks.map((task) =>
      isObject(task) && typeof task.dueAt === 'string' ? Date.parse(task.dueAt) : Number.POSITIVE_INFINITY,
    )
    const at = dates.findIndex((date, i) => i > 0 && date < (dates[i - 1] ?? 0))
    const got = `task ${at + 1} is due before the previous one`
    expect(at === -1, response, 'tasks by due date', diagnoses.bodyChanged, got)
    if (tasks.length < 2) throw new Skip('the workspace has no two current tasks to compare')
    return undefined
  },
})
