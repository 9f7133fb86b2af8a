/** Tests check contract/log.schema.json and the table in docs/monitoring.md against this file. */
import { connectionOutcomes, connectionSteps } from './connections/observation.ts'
import { WAL_NOT_MERGED } from './database/errors.ts'
import { refusalReasons } from './keys/admission.ts'
import type { Level, Logger } from './lib/logger.ts'
import { redactTokens } from './lib/redact.ts'
import type { SourceUnavailable } from './lists/in-place/unavailable.ts'
import { problemCodes } from './problems/catalogue.ts'

interface Message {
  level: Level
  text: string
  /** Every line also has `level`, `time` and `msg`. */
  fields: readonly (keyof typeof fields)[]
}

export const fields = {
  requestId: { type: 'string', format: 'uuid', description: 'the X-Request-Id of the response' },
  method: { type: 'string', description: 'the method of the request' },
  path: { type: 'string', description: 'the path of the request, without its query' },
  status: {
    type: ['integer', 'string'],
    description: 'the status of the response, or "gone" if the client disconnected first',
  },
  code: { type: 'string', enum: problemCodes, description: 'the code of the problem that the request got' },
  refused: { type: 'string', enum: refusalReasons, description: 'why the request or its key was refused' },
  keyId: { type: 'string', description: 'the key of the request, if one was recognised' },
  client: { type: 'string', description: 'the client address; with TRUST_PROXY, as reported by the proxies' },
  ms: { type: 'number', description: 'time from the request headers to the response, in milliseconds' },
  mcpMethod: { type: 'string', description: 'the MCP method; "(unknown)" if there is none of that name' },
  tool: { type: 'string', description: 'the MCP tool; "(unknown)" if there is none of that name' },
  rpcError: { type: 'integer', description: 'the code of the JSON-RPC error that the request got' },
  isError: { type: 'boolean', const: true, description: 'the result of the tool was an error' },
  traceparent: { type: 'string', description: 'the trace context of the request (W3C Trace Context)' },
  fault: { type: 'string', description: 'why the HTTP parser rejected the request' },
  failure: {
    type: 'object',
    description: 'the cause, without a stack trace, path, SQL statement or key',
    properties: {
      name: { type: 'string' },
      code: { type: 'string' },
      message: { type: 'string' },
      at: { type: 'string', description: 'file and line in the code' },
    },
    required: ['name'],
    additionalProperties: false,
  },
  signal: { type: 'string', description: 'the signal that stops the server' },
  times: { type: 'integer', description: 'how many times since the last line of this kind' },
  lines: { type: 'integer', description: 'how many lines are missing before this one' },
  workspaceId: { type: 'string', description: 'the workspace that the line is about' },
  removed: { type: 'integer', description: 'how many audit entries or keys were removed' },
  through: { type: 'integer', description: 'the number of the last one removed' },
  resource: { type: 'string', description: 'the name of a declared resource' },
  row: { type: 'string', description: 'the id of the row that does not fit the definition of its list' },
  field: { type: 'string', description: 'the field of the definition that does not fit' },
  members: { type: 'array', items: { type: 'string' }, description: 'the members of its definition that differ' },
  entry: { type: 'integer', description: 'the number of an audit entry' },
  step: { type: 'string', enum: connectionSteps, description: 'the step of connecting by signing in' },
  outcome: {
    type: 'string',
    enum: connectionOutcomes,
    description: 'ok, the OAuth error that the client got, or reused if its connection was revoked',
  },
} as const satisfies Record<string, object>

const line =
  (level: Message['level']) =>
  <const Fields extends Message['fields']>(text: string, ...names: Fields) => ({ level, text, fields: names })
const [info, warn, error, fatal] = [line('info'), line('warn'), line('error'), line('fatal')]

/** `logLine` replaces words in braces with values. Lines about single requests have no message. */
export const messages = {
  stopping: info('stopping', 'signal'),
  linesLost: error('lines of this log were lost: they could not be written in time', 'lines'),
  stopped: info('stopped'),
  requestFailed: error('request failed', 'requestId', 'keyId', 'failure'),
  sourceUnavailable: error(
    'the list {resource} cannot be read in place: {reason}',
    ...(['requestId', 'keyId', 'resource', 'row', 'field'] as const),
  ),
  responseFailed: error('a response could not be sent', 'failure'),
  connectionsRefused: warn('refused connections: too many are open', 'times'),
  pipelinesClosed: warn('closed connections that sent too many requests at once', 'times'),
  stalledClosed: warn('closed connections whose clients did not read their responses', 'times'),
  notReady: error('not ready', 'failure'),
  notReadyAtStart: error('not ready: requests fail until this is fixed', 'failure'),
  useNotWritten: error('use records could not be written; they are kept and retried', 'failure'),
  recordsLost: error(
    'records of {requests} requests are lost: they could not be written before the stop, {reason}',
    'failure',
  ),
  databaseLost: fatal('{reason}; requests get 500 until the server is restarted or the same file is back'),
  databaseBack: info('the database file is back; requests are served again'),
  upgraded: info('the database was upgraded from schema {from}: {rows}'),
  definitionDiffers: warn("the definition of {resource} differs from the database's: {reason}", 'resource', 'members'),
  builtInOff: warn("this version's own list {replaced} is off here: the declared {resource} has its name", 'resource'),
  schemaChanged: warn("the database's schema was changed: {reason}"),
  leftInLog: warn(WAL_NOT_MERGED),
  settingsOff: warn(
    'the settings page is off: the role in DATABASE_URL lacks privileges from docs/sql/settings-writes.sql; see docs/postgresql.md',
  ),
  connection: info('a step of connecting by signing in', 'requestId', 'keyId', 'step', 'outcome'),
  connectionReused: warn(
    'a connection was revoked: its code or refresh token was used again, which may mean that it was stolen',
    ...(['requestId', 'keyId', 'step', 'outcome'] as const),
  ),
  auditPruned: info('audit entries past their retention were removed', 'workspaceId', 'removed', 'through'),
  keysPurged: info('keys that ended longer ago than KEY_RETENTION were removed', 'workspaceId', 'removed'),
  clockAhead: warn(
    "the clock is {days} days ahead of the latest time recorded in the database, {seen}: retention counts from that time; if the clock is right, see 'A clock that is ahead' in docs/audit.md",
  ),
  keysNotPurged: error(
    'keys that ended longer ago than KEY_RETENTION could not be removed; the next attempt is in a day; see docs/keys.md',
    'failure',
  ),
  auditNotPruned: error(
    'audit entries past their retention could not be removed; the next attempt is in a day; see docs/audit.md',
    'failure',
  ),
  auditNotWritten: error(
    "a change that ends access was made, but the audit log could not record it; run 'vitrine audit verify'",
    'failure',
  ),
  auditBroken: error(
    "an audit entry does not match the chain, so it and all later entries are kept; run 'vitrine audit verify'",
    'workspaceId',
    'entry',
  ),
  metricsNotMeasured: error('metrics of the database could not be read; the next attempt is in a minute', 'failure'),
  noticesFailed: error('notices could not be prepared or sent; the next attempt is in a minute', 'failure'),
  retentionOff: warn(
    "AUDIT_RETENTION and KEY_RETENTION have no effect here: the role in DATABASE_URL may not remove anything; run 'vitrine audit prune' and 'vitrine key purge' with the operator's role",
  ),
} satisfies Record<string, Message>

type MessageName = keyof typeof messages
type FieldsOf<Name extends MessageName> = { [Field in (typeof messages)[Name]['fields'][number]]?: unknown }

/** `failure` may be anything that was thrown. */
export function logLine<Name extends MessageName>(
  log: Logger,
  name: Name,
  members: FieldsOf<Name>,
  values: Record<string, string | number> = {},
): void {
  const { level, text }: Message = messages[name]
  const msg = text.replace(/\{(\w+)\}/g, (_, word: string) => String(values[word]))
  const line: object = 'failure' in members ? { ...members, failure: describeFailure(members.failure) } : members
  log.write(level, { ...line, msg })
}

/** Why a list that is read in place cannot be read. */
export function logUnavailable(
  log: Logger,
  { list, row, field, message }: SourceUnavailable,
  members: { requestId?: string; keyId?: string | undefined } = {},
): void {
  logLine(log, 'sourceUnavailable', { ...members, resource: list, row, field }, { resource: list, reason: message })
}

/** Leaves out stack traces, paths, SQL and keys. `at` is a file and line of our code. */
function describeFailure(error: unknown): object {
  if (!(error instanceof Error)) return { name: typeof error }
  const { code } = error as NodeJS.ErrnoException
  return {
    name: redactTokens(error.name),
    ...(code !== undefined && { code: redactTokens(String(code)) }),
    message: withoutInternals(error.message),
    at: OWN_LINE.exec(error.stack ?? '')?.[0],
  }
}

const FOLDER = RegExp.escape(new URL('.', import.meta.url).href)
/** Our code is TypeScript, or in a package JavaScript in this folder. The code of dependencies is neither. */
const OWN_LINE = new RegExp(String.raw`[\w.-]+(?:\.ts|(?<=${FOLDER}.*)\.js):\d+(?=:\d+\)?$)`, 'm')

const PATH = /(?<!\w)(?:[A-Za-z]:)?[\\/][^\s'",;:)]+/g
const STATEMENT = /\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH)\b[^:]*/g

const withoutInternals = (message: string) =>
  redactTokens(message).replace(STATEMENT, '[statement]').replace(PATH, '[path]').slice(0, 500)
