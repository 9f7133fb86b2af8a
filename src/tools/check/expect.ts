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
  code?: string
  headers?: Record<string, string | RegExp>
  hasNoBody?: boolean
  /** The meaning of other statuses, if not the usual one. */
  meaning?: Record<number, Diagnosis>
}

export function expectResponse(response: CheckedResponse, expected: Expected): void {
  const { status, code, type = code && 'application/problem+json', headers = {}, hasNoBody, meaning = {} } = expected
  expect(response.bodyError === undefined, response, 'a complete response', undefined, response.bodyError)
  const diagnosis = meaning[response.status] ?? diagnoseStatus(response)
  expect(response.status === status, response, `status ${status}`, diagnosis)
  const { 'content-type': sent = 'no Content-Type' } = response.headers
  if (type !== undefined) expect(sent === type, response, `Content-Type: ${type}`, diagnoseType(response, type), sent)
  if (code !== undefined) expectProblem(response, status, code)
  for (const [name, value] of Object.entries(headers)) expectHeader(response, name, value)
  if (hasNoBody) expect(response.body.length === 0, response, 'no body')
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

const MEMBERS = ['type', 'title', 'status', 'code', 'detail', 'hint']

/** On an MCP endpoint, `instance` is also allowed. */
function expectProblem(response: CheckedResponse, status: number, code: string): void {
  const { json, request } = response
  expect(isObject(json), response, 'a problem (RFC 9457)', diagnoses.pageReplaced)
  expect(json.code === code, response, `the code ${code}`, diagnoses.unknown)
  const sent = Object.keys(json).filter((name) => !(request.path.endsWith('/mcp') && name === 'instance'))
  const isExact = sent.length === MEMBERS.length && MEMBERS.every((name) => sent.includes(name))
  expect(isExact, response, `the members ${MEMBERS.join(', ')}`, diagnoses.bodyChanged, sent.join(', '))
  expect(json.status === status, response, `the member status ${status}`)
  for (const name of MEMBERS) expect(name === 'status' || isText(json[name]), response, `a text as ${name}`)
  expectHeader(response, 'Cache-Control', 'no-store')
}

const isText = (value: unknown) => typeof value === 'string' && value !== ''

export function expectDocumentedHeaders(contract: Contract, response: CheckedResponse): void {
  const { method, path } = response.request
  const names = contract.requiredHeaders(method, path, response.status)
  expect(names !== undefined, response, 'a status of the contract', diagnoseStatus(response))
  for (const name of names) expectHeader(response, name, /./s)
}

export function expectDocumented(contract: Contract, response: CheckedResponse): void {
  expectResponse(response, { status: 200, type: 'application/json' })
  const { method, path } = response.request
  expectFits(response, contract.bodyError(method, path, 200, 'application/json', response.json), 'a body')
  expectDocumentedHeaders(contract, response)
}

export function expectFits(response: CheckedResponse, error: string | undefined, what: string): void {
  expect(error === undefined, response, `${what} that matches the contract's schema`, diagnoses.bodyChanged, error)
}
