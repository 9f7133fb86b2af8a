import { idAsWritten } from '../json-rpc.ts'
import { ProtocolError } from './errors.ts'

/** The id as JSON, exactly as it was sent: a string or a whole number. Undefined for a notification. */
export function idJsonOf(id: unknown, text: string): string | undefined {
  if (id === undefined) return undefined
  if (typeof id === 'string') return JSON.stringify(id)
  if (typeof id !== 'number' || !Number.isInteger(id)) throw invalidId()
  const written = idAsWritten(id, text)
  // A double that is whole may have been written as a number that is not.
  if (ODD.test(written) && !isWhole(written)) throw invalidId()
  return written
}

const invalidId = () =>
  new ProtocolError('invalid_jsonrpc_request', '"id" must be a string or a whole number, not null.')

const ODD = /[.eE]/
const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Whether a number in JSON is whole as it was written: 12, 1.0, 1.50e1; but not 9007199254740993.5. */
function isWhole(written: string): boolean {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(written) ?? []
  const digits = `${whole}${fraction}`.replace(/0+$/, '')
  const decimals = digits.length - whole.length
  return digits.replace(/^0+/, '') === '' || decimals <= Number(exponent)
}
