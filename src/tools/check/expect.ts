import { isObject } from '../../lib/checker.ts'
import { clip, showHidden } from '../../lib/plain-text.ts'
import { redactTokens } from '../../lib/redact.ts'
import type { Contract } from './contract.ts'
import {
  type Diagnosis,
  diagnoseResponse,
  diagnoseStatus,
  diagnoses,
  diagnoseType,
  headerChanged,
  headerRemoved,
} from './diagnosis.ts'
import type { CheckedResponse } from './http.ts'

export class Deviation extends Error {
  override name = 'Deviation'
  readonly details: { expected: string; got: string } & Diagnosis

  constructor(expected: string, got: string, diagnosis: Diagnosis) {
    super(`expected ${expected}, got ${got}`)
    this.details = { expected: safeText(expected), got: safeText(got), ...diagnosis }
  }
}

/** The check does not apply to this deployment. */
export class Skip extends Error {
  override name = 'Skip'
}

const MAX_SHOWN_CHARACTERS = 240
/** Secrets are removed before the text is truncated, since part of a secret would not be recognised. */
const MAX_READ_CHARACTERS = 10_000

/** A server may send misleading text or repeat the key, so hidden and control characters and keys are replaced. */
export const safeText = (text: string): string =>
  showHidden(clip(redactTokens(text.slice(0, MAX_READ_CHARACTERS)), MAX_SHOWN_CHARACTERS).toWellFormed()).replace(
    /[\p{Cc}\p{Zl}\p{Zp}\uFFFE\uFFFF]/gu,
    '\uFFFD',
  )

export const summary = ({ status, headers, text }: CheckedResponse): string => {
  const type = headers['content-type']
  return safeText(`${status}${type === undefined ? '' : ` ${type}`}${text === '' ? '' : `: ${text}`}`)
}

/** The default diagnosis is that a proxy has changed the body. */
export function expect(
  isMet: boolean,
  response: CheckedResponse,
  expected: string,
  diagnosis: Diagnosis = diagnoses.bodyChanged,
  got?: string,
): asserts isMet {
  if (isMet) return
  const { method, path, withKey } = response.request
  const request = `${method} ${path}${withKey ? '' : ' without a key'}`
  throw new Deviation(`${request}: ${expected}`, got ?? summary(response), diagnoseResponse(response) ?? diagnosis)
}

export interface Expected {
  status: number
  type?: string
  headers?: Record<string, string | RegExp>
  hasNoBody?: boolean
  /** What the JSON has at least: objects may have more properties, and lists more items. */
  has?: Record<string, unknown>
  /** The meaning of other statuses, if not the usual one. */
  meaning?: Record<number, Diagnosis>
}

/** Beside what is expected, a response of an operation must be as the contract documents it. */
export function expectResponse(contract: Contract, response: CheckedResponse, expected: Expected): void {
  const { status, type, headers = {}, hasNoBody, has, meaning = {} } = expected
  expect(response.bodyError === undefined, response, 'a complete response', undefined, response.bodyError)
  const diagnosis = meaning[response.status] ?? diagnoseStatus(response)
  expect(response.status === status, response, `status ${status}`, diagnosis)
  const { 'content-type': sent = 'no Content-Type' } = response.headers
  if (type !== undefined) expect(sent === type, response, `Content-Type: ${type}`, diagnoseType(response, type), sent)
  for (const [name, value] of Object.entries(headers)) expectHeader(response, name, value)
  if (hasNoBody) expect(response.body.length === 0, response, 'no body')
  const missing = has && missingIn(response.json, has)
  expect(missing === undefined, response, `a body with ${missing}`)
  expectDocumented(contract, response)
}

function expectDocumented(contract: Contract, response: CheckedResponse): void {
  const { method, path } = response.request
  const documented = contract.response(method, path, response.status)
  if (documented === undefined) return
  for (const name of contract.requiredHeaders(documented)) expectHeader(response, name, /./s)
  const error = schemaError(contract, response)
  expect(error === undefined, response, "a body that matches the contract's schema", diagnoses.bodyChanged, error)
}

/** Undefined if the body matches the contract, or the contract describes none. */
export function schemaError(contract: Contract, { request, status, headers, json }: CheckedResponse) {
  const { content } = contract.response(request.method, request.path, status) ?? {}
  return content && contract.error(content[headers['content-type'] ?? '']?.schema, json)
}

/** The first path of `expected` whose value differs. */
function missingIn(value: unknown, expected: unknown, at = 'JSON'): string | undefined {
  if (isObject(expected) && isObject(value)) {
    for (const [name, each] of Object.entries(expected)) {
      const missing = missingIn(value[name], each, at === 'JSON' ? name : `${at}.${name}`)
      if (missing !== undefined) return missing
    }
    return undefined
  }
  const isMet = Array.isArray(expected) ? expected.every((each) => [value].flat().includes(each)) : value === expected
  return isMet ? undefined : `${at} ${JSON.stringify(expected)}`
}

export function expectHeader(
  response: CheckedResponse,
  name: string,
  value: string | RegExp,
  { ifMissing = headerRemoved(name), ifOther = headerChanged(name) } = {},
): void {
  const sent = response.headers[name.toLowerCase()]
  expect(sent !== undefined, response, `the header ${name}`, ifMissing, `no ${name}`)
  const isMet = typeof value === 'string' ? sent === value : value.test(sent)
  const expected = typeof value === 'string' ? `${name}: ${value}` : `${name} in the form ${value.source}`
  expect(isMet, response, expected, ifOther, `${name}: ${sent}`)
}
