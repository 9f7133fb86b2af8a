/** A test checks the table in docs/monitoring.md against this file. */
import type { Level, Logger } from './lib/logger.ts'
import { redactTokens } from './lib/redact.ts'
import type { SourceUnavailable } from './lists/in-place/unavailable.ts'

interface Message {
  level: Level
  text: string
}

const line = (level: Level) => (text: string) => ({ level, text })
const [info, warn, error] = [line('info'), line('warn'), line('error')]

/** `logLine` replaces words in braces with values. Lines about single requests have no message. */
export const messages = {
  stopping: info('stopping'),
  linesLost: error('lines of this log were lost: they could not be written in time'),
  stopped: info('stopped'),
  requestFailed: error('request failed'),
  sourceUnavailable: error('the list {resource} cannot be read in place: {reason}'),
  responseFailed: error('a response could not be sent'),
  connectionsRefused: warn('refused connections: too many are open'),
  pipelinesClosed: warn('closed connections that sent too many requests at once'),
  stalledClosed: warn('closed connections whose clients did not read their responses'),
  notReady: error('not ready'),
  notReadyAtStart: error('not ready: requests fail until this is fixed'),
  useNotWritten: error('use records could not be written; they are kept and retried'),
  recordsLost: error('records of {requests} requests are lost: they could not be written before the stop, {reason}'),
  upgraded: info('the database was upgraded from schema {from}: {rows}'),
  definitionDiffers: warn("the definition of {resource} differs from the database's: {reason}"),
  builtInOff: warn("this version's own list {replaced} is off here: the declared {resource} has its name"),
  schemaChanged: warn("the database's schema was changed: {reason}"),
  settingsOff: warn(
    'the settings page is off: the role in DATABASE_URL lacks privileges from docs/sql/settings-writes.sql; see docs/postgresql.md',
  ),
  connection: info('a step of connecting by signing in'),
  connectionReused: warn(
    'a connection was revoked: its code or refresh token was used again, which may mean that it was stolen',
  ),
  auditPruned: info('audit entries past their retention were removed'),
  keysPurged: info('keys that ended longer ago than KEY_RETENTION were removed'),
  keysNotPurged: error(
    'keys that ended longer ago than KEY_RETENTION could not be removed; the next attempt is in a day; see docs/keys.md',
  ),
  auditNotPruned: error(
    'audit entries past their retention could not be removed; the next attempt is in a day; see docs/audit.md',
  ),
  auditNotWritten: error(
    "a change that ends access was made, but the audit log could not record it; run 'vitrine audit verify'",
  ),
  auditBroken: error(
    "an audit entry does not match the chain, so it and all later entries are kept; run 'vitrine audit verify'",
  ),
  metricsNotMeasured: error('metrics of the database could not be read; the next attempt is in a minute'),
  noticesFailed: error('notices could not be prepared or sent; the next attempt is in a minute'),
  retentionOff: warn(
    "AUDIT_RETENTION and KEY_RETENTION have no effect here: the role in DATABASE_URL may not remove anything; run 'vitrine audit prune' and 'vitrine key purge' with the operator's role",
  ),
} satisfies Record<string, Message>

/** `failure` may be anything that was thrown. */
export function logLine(
  log: Logger,
  name: keyof typeof messages,
  members: object,
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
