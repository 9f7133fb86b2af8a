import type { Client } from '../client.ts'
import { type Diagnosis, diagnoses, headerRemoved } from '../diagnosis.ts'
import { expect, expectDocumentedHeaders, expectResponse, Skip } from '../expect.ts'

/** More changes than that in a row are not those of data. */
const MAX_CHANGES = 2

/** Strong, and good for a 304. */
export async function checkEtag(client: Client, path: string): Promise<undefined> {
  const read = await client.readable(path)
  const { etag } = read.headers
  expect(etag !== undefined, read, 'the header ETag', { got: 'no ETag', diagnosis: headerRemoved('ETag') })
  const got = `ETag: ${etag}`
  expect(/^"[^"]+"$/.test(etag), read, 'a strong ETag', { got, diagnosis: diagnoses.etagWeakened })
  await expectNotModified(client, path, etag, {}, diagnoses.conditionIgnored)
  const other = await client.send({ method: 'GET', path, withKey: true, headers: { 'If-None-Match': '"another"' } })
  expectResponse(other, { status: 200, meaning: { 304: diagnoses.cached } })
}

/** What compresses responses must leave them an ETag that gets a 304. */
export async function checkCompressedEtag(client: Client, path: string): Promise<string> {
  await client.readable(path)
  const headers = { 'Accept-Encoding': 'gzip, br' }
  const response = await client.send({ method: 'GET', path, withKey: true, headers })
  expectResponse(response, { status: 200 })
  const { 'content-encoding': encoding, etag, vary = '' } = response.headers
  if (encoding === undefined) throw new Skip('nothing compresses the responses here')
  const noEtag = { got: 'no ETag', diagnosis: diagnoses.etagWeakened }
  expect(etag !== undefined, response, 'an ETag on the compressed response too', noEtag)
  const varies = /accept-encoding|\*/i.test(vary)
  expect(varies, response, 'Vary: Accept-Encoding', { got: `Vary: ${vary}`, diagnosis: diagnoses.varyMissing })
  await expectNotModified(client, path, etag, headers, diagnoses.etagChanged)
  return `responses are compressed (${encoding}), not by Vitrine`
}

/** The body may have changed since: then the new ETag is tried, as a client would. */
async function expectNotModified(
  client: Client,
  path: string,
  etag: string,
  headers: Record<string, string>,
  diagnosis: Diagnosis,
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
    expect(isChanged, response, `status 304 to If-None-Match: ${sent}`, { got: `200 with ETag: ${next}`, diagnosis })
    sent = next
  }
}
