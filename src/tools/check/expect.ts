import { isObject } from '../../lib/checker.ts'
import type { Contract } from './contract.ts'
import { diagnoseResponse, diagnoseStatus, diagnoseType } from './diagnose.ts'
import { diagnoses, headerChanged, headerRemoved } from './diagnosis.ts'
import { Deviation, type Diagnosis } from './outcome.ts'
import { described, type HttpResponse } from './response.ts'
import { shown } from './shown.ts'

/** A response in one line. */
export const summary = ({ status, headers, text }: HttpResponse): string => {
  const type = headers['content-type']
  return shown(`${status}${type === undefined ? '' : ` ${type}`}${text === '' ? '' : `: ${text}`}`)
}

/** `got` may be a function: to show a response takes longer than to judge it. */
export function expect(
  isMet: boolean,
  response: HttpResponse,
  expected: string,
  got: string | ((response: HttpResponse) => string),
  diagnosis: Diagnosis,
): asserts isMet {
  if (isMet) return
  const what = typeof got === 'string' ? got : got(response)
  throw new Deviation(`${described(response.request)}: ${expected}`, what, diagnoseResponse(response) ?? diagnosis)
}

export function expectStatus(response: HttpResponse, status: number, diagnosis?: Diagnosis): void {
  expect(response.status === status, response, `status ${status}`, summary, diagnosis ?? diagnoseStatus(response))
}

export function expectType(response: HttpResponse, type: string): void {
  const sent = response.headers['content-type']
  expect(sent === type, response, `Content-Type: ${type}`, sent ?? 'no Content-Type', diagnoseType(response, type))
}

/** Exactly this value, or one of this form. */
export function expectHeader(
  response: HttpResponse,
  name: string,
  value: string | RegExp,
  diagnosis?: Diagnosis,
): void {
  const sent = response.headers[name.toLowerCase()]
  expect(sent !== undefined, response, `the header ${name}`, `no ${name}`, diagnosis ?? headerRemoved(name))
  const isMet = typeof value === 'string' ? sent === value : value.test(sent)
  const expected = typeof value === 'string' ? `${name}: ${value}` : `${name} in the form ${value.source}`
  expect(isMet, response, expected, `${name}: ${sent}`, diagnosis ?? headerChanged(name))
}

export function expectNoBody(response: HttpResponse): void {
  expect(response.body.length === 0, response, 'no body', summary, diagnoses.bodyChanged)
}

/** The headers that the contract documents for a response of this status. */
export function expectDocumentedHeaders(contract: Contract, response: HttpResponse): void {
  const { method, path } = response.request
  const names = contract.requiredHeaders(method, path, response.status)
  expect(names !== undefined, response, 'a status of the contract', summary, diagnoseStatus(response))
  for (const name of names) expectHeader(response, name, /./s)
}

/** The body fits the schema that the contract has for it. */
export function expectBody(contract: Contract, response: HttpResponse, type: string): void {
  expectType(response, type)
  expect(response.json !== undefined, response, 'a body of JSON', summary, diagnoses.bodyChanged)
  const { method, path } = response.request
  const fault = contract.bodyFault(method, path, response.status, type, response.json)
  expect(
    fault === undefined,
    response,
    'a body that fits the schema of the contract',
    String(fault),
    diagnoses.bodyChanged,
  )
}

const MEMBERS = ['type', 'title', 'status', 'code', 'detail', 'hint']

/** A problem of this code, with exactly the members that are promised; on the MCP endpoint `instance` may be there too. */
export function expectProblem(response: HttpResponse, status: number, code: string, { isMcp = false } = {}): void {
  expectStatus(response, status)
  expectType(response, 'application/problem+json')
  const { json } = response
  expect(isObject(json), response, 'a problem (RFC 9457)', summary, diagnoses.pageReplaced)
  expect(json.code === code, response, `the code ${code}`, summary, diagnoses.unknown)
  const sent = Object.keys(json).filter((name) => !(isMcp && name === 'instance'))
  const isExact = sent.length === MEMBERS.length && MEMBERS.every((name) => sent.includes(name))
  expect(isExact, response, `the members ${MEMBERS.join(', ')}`, sent.join(', '), diagnoses.bodyChanged)
  expect(json.status === status, response, `the member status ${status}`, String(json.status), diagnoses.bodyChanged)
  for (const name of MEMBERS.filter((member) => member !== 'status'))
    expect(
      typeof json[name] === 'string' && json[name] !== '',
      response,
      `a text as ${name}`,
      summary,
      diagnoses.bodyChanged,
    )
  expectHeader(response, 'Cache-Control', 'no-store')
}
