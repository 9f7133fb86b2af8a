import type { Client } from '../client.ts'
import { diagnoses, headerRemoved } from '../diagnosis.ts'
import { expect, expectDocumentedHeaders, expectNoBody, expectStatus } from '../expect.ts'
import { type Diagnosis, Skip } from '../outcome.ts'

/** More changes than that in a row are not those of data. */
const MAX_CHANGES = 2

/** Strong, and good for a 304. */
export async function checkEtag(client: Client, path: string): Promise<string | undefined> {
  const read = await client.readable(path)
  const { etag } = read.headers
  expect(etag !== undefined, read, 'the header ETag', 'no ETag', headerRemoved('ETag'))
  expect(/^"[^"]+"$/.test(etag), read, 'a strong ETag', `ETag: ${etag}`, diagnoses.etagWeakened)
  await expectNotModified(client, path, etag, {}, diagnoses.conditionIgnored)
  const other = await client.send({ method: 'GET', path, withKey: true, headers: { 'If-None-Match': '"another"' } })
  expectStatus(other, 200, other.status === 304 ? diagnoses.cached : undefined)
  return undefined
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
  for (let attempt = 0; ; attempt++) {
    const response = await client.send({
      method: 'GET',
      path,
      withKey: true,
      headers: { ...headers, 'If-None-Match': sent },
    })
    if (response.status === 304) {
      expectNoBody(response)
      return expectDocumentedHeaders(client.contract, response)
    }
    const { etag: next = sent } = response.headers
    if (response.status !== 200) expectStatus(response, 304)
    const isUnchanged = next === sent || attempt === MAX_CHANGES
    expect(
      !isUnchanged,
      response,
      `status 304 to If-None-Match: ${sent}`,
      `${response.status} with ETag: ${next}`,
      diagnosis,
    )
    sent = next
  }
}

/** What compresses answers must leave them an ETag that gets a 304. */
export async function checkCompressedEtag(client: Client, path: string): Promise<string | undefined> {
  await client.readable(path)
  const headers = { 'Accept-Encoding': 'gzip, br' }
  const response = await client.send({ method: 'GET', path, withKey: true, headers })
  expectStatus(response, 200)
  const { 'content-encoding': encoding, etag, vary = '' } = response.headers
  if (encoding === undefined) throw new Skip('nothing compresses the answers here')
  expect(etag !== undefined, response, 'an ETag on the compressed answer too', 'no ETag', diagnoses.etagWeakened)
  expect(/accept-encoding|\*/i.test(vary), response, 'Vary: Accept-Encoding', `Vary: ${vary}`, diagnoses.varyMissing)
  await expectNotModified(client, path, etag, headers, diagnoses.etagChanged)
  return `answers are compressed (${encoding}), not by Vitrine`
}
