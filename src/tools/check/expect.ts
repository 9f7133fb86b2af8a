import { isObject } from '../../lib/checker.ts'
import { type Answer, described } from './answer.ts'
import type { Contract } from './contract.ts'
import { diagnoseAnswer, diagnoseStatus, diagnoseType } from './diagnose.ts'
import { diagnoses, headerChanged, headerRemoved } from './diagnosis.ts'
import { Deviation, type Diagnosis } from './outcome.ts'
import { shown } from './shown.ts'

/** An answer in one line. */
export const summary = ({ status, headers, text }: Answer): string => {
  const type = headers['content-type']
  return shown(`${status}${type === undefined ? '' : ` ${type}`}${text === '' ? '' : `: ${text}`}`)
}

/** `got` may be a function: to show an answer takes longer than to judge it. */
export function expect(
  isMet: boolean,
  answer: Answer,
  expected: string,
  got: string | ((answer: Answer) => string),
  diagnosis: Diagnosis,
): asserts isMet {
  if (isMet) return
  const what = typeof got === 'string' ? got : got(answer)
  throw new Deviation(`${described(answer.request)}: ${expected}`, what, diagnoseAnswer(answer) ?? diagnosis)
}

export function expectStatus(answer: Answer, status: number, diagnosis?: Diagnosis): void {
  expect(answer.status === status, answer, `status ${status}`, summary, diagnosis ?? diagnoseStatus(answer))
}

export function expectType(answer: Answer, type: string): void {
  const sent = answer.headers['content-type']
  expect(sent === type, answer, `Content-Type: ${type}`, sent ?? 'no Content-Type', diagnoseType(answer, type))
}

/** Exactly this value, or one of this form. */
export function expectHeader(answer: Answer, name: string, value: string | RegExp, diagnosis?: Diagnosis): void {
  const sent = answer.headers[name.toLowerCase()]
  expect(sent !== undefined, answer, `the header ${name}`, `no ${name}`, diagnosis ?? headerRemoved(name))
  const isMet = typeof value === 'string' ? sent === value : value.test(sent)
  const expected = typeof value === 'string' ? `${name}: ${value}` : `${name} in the form ${value.source}`
  expect(isMet, answer, expected, `${name}: ${sent}`, diagnosis ?? headerChanged(name))
}

export function expectNoBody(answer: Answer): void {
  expect(answer.body.length === 0, answer, 'no body', summary, diagnoses.bodyChanged)
}

/** The headers that the contract documents for an answer of this status. */
export function expectDocumentedHeaders(contract: Contract, answer: Answer): void {
  const { method, path } = answer.request
  const names = contract.requiredHeaders(method, path, answer.status)
  expect(names !== undefined, answer, 'a status of the contract', summary, diagnoseStatus(answer))
  for (const name of names) expectHeader(answer, name, /./s)
}

/** The body fits the schema that the contract has for it. */
export function expectBody(contract: Contract, answer: Answer, type: string): void {
  expectType(answer, type)
  expect(answer.json !== undefined, answer, 'a body of JSON', summary, diagnoses.bodyChanged)
  const { method, path } = answer.request
  const fault = contract.bodyFault(method, path, answer.status, type, answer.json)
  expect(
    fault === undefined,
    answer,
    'a body that fits the schema of the contract',
    String(fault),
    diagnoses.bodyChanged,
  )
}

const MEMBERS = ['type', 'title', 'status', 'code', 'detail', 'hint']

/** A problem of this code, with exactly the members that are promised; on the MCP endpoint `instance` may be there too. */
export function expectProblem(answer: Answer, status: number, code: string, { isMcp = false } = {}): void {
  expectStatus(answer, status)
  expectType(answer, 'application/problem+json')
  const { json } = answer
  expect(isObject(json), answer, 'a problem (RFC 9457)', summary, diagnoses.pageReplaced)
  expect(json.code === code, answer, `the code ${code}`, summary, diagnoses.unknown)
  const sent = Object.keys(json).filter((name) => !(isMcp && name === 'instance'))
  const isExact = sent.length === MEMBERS.length && MEMBERS.every((name) => sent.includes(name))
  expect(isExact, answer, `the members ${MEMBERS.join(', ')}`, sent.join(', '), diagnoses.bodyChanged)
  expect(json.status === status, answer, `the member status ${status}`, String(json.status), diagnoses.bodyChanged)
  for (const name of MEMBERS.filter((member) => member !== 'status'))
    expect(
      typeof json[name] === 'string' && json[name] !== '',
      answer,
      `a text as ${name}`,
      summary,
      diagnoses.bodyChanged,
    )
  expectHeader(answer, 'Cache-Control', 'no-store')
}
