import { clip } from '../../lib/plain-text.ts'
import type { MessageFormat } from '../sync-options.ts'

/** A message in the terms that both protocols share. */
export interface StreamMessage {
  /** In Airbyte, with its namespace: the same name in two namespaces is two streams. */
  stream?: unknown
  /** Only in Airbyte: without the namespace. */
  name?: unknown
  /** Null if the record has none. */
  record?: unknown
  /** Only in Singer: the version of a record, or of the complete table. */
  version?: unknown
  /** How the stream ended. */
  end?: 'complete' | 'incomplete'
  /** Takes the state before this message, and returns the one after it. */
  state?(before: unknown): unknown
}

type JsonObject = Record<string, unknown>

export interface MessageProtocol {
  decode(message: JsonObject): StreamMessage | { problem: string }
  /** Formats the saved state for the program. It is undefined if none was saved. */
  stateFile(state: unknown): unknown
}

export const protocols: Record<MessageFormat, MessageProtocol> = {
  singer: {
    decode({ type, stream, record, version, value }) {
      if (type === 'RECORD') return { record: record ?? null, stream, version }
      if (type === 'ACTIVATE_VERSION') return { end: 'complete', stream, version }
      if (type === 'STATE') return { state: () => value }
      if (type === 'SCHEMA') return { stream }
      return unknownType(type, 'Singer')
    },
    stateFile: (state) => state ?? {},
  },
  airbyte: {
    decode({ type, record, state, trace }) {
      const { data = null, stream: name, namespace } = Object(record) as JsonObject
      if (type === 'RECORD') return { record: data, ...streamOf({ name, namespace }) }
      if (type === 'STATE') return airbyteState(Object(state))
      if (type === 'TRACE') return airbyteTrace(Object(trace))
      return AIRBYTE_OTHERS.includes(type) ? {} : unknownType(type, 'Airbyte')
    },
    stateFile: (state) => statesIn(state).find(({ data }) => data !== undefined)?.data ?? statesIn(state),
  },
}

const AIRBYTE_OTHERS: unknown[] = ['LOG', 'CATALOG', 'SPEC', 'CONTROL', 'CONNECTION_STATUS', 'DESTINATION_CATALOG']

const unknownType = (type: unknown, protocol: string) => ({
  problem: `is not a message of ${protocol} that can be read here: its type is ${clip(JSON.stringify(type) ?? 'missing', 50)}`,
})

/** For one stream, for all streams, or in the old form, with `data`. */
interface AirbyteState {
  type?: string
  stream?: { stream_descriptor?: { name?: unknown; namespace?: unknown } }
  data?: unknown
}

const statesIn = (saved: unknown) => (saved ?? []) as AirbyteState[]
const streamOf = ({ name, namespace }: JsonObject) => ({ name, stream: namespace ? `${namespace}.${name}` : name })

/** A connector gets the last state of every stream. */
function airbyteState(state: AirbyteState): StreamMessage {
  const descriptorOf = ({ stream }: AirbyteState): JsonObject => Object(stream?.stream_descriptor)
  const keyOf = (each: AirbyteState) => JSON.stringify([descriptorOf(each).name, descriptorOf(each).namespace ?? null])
  const isOfAll = state.type === 'GLOBAL' || state.data !== undefined
  const isKept = (each: AirbyteState) => !isOfAll && keyOf(each) !== keyOf(state)
  return { ...streamOf(descriptorOf(state)), state: (before) => [...statesIn(before).filter(isKept), state] }
}

function airbyteTrace({ type, error, stream_status }: JsonObject): StreamMessage | { problem: string } {
  if (type === 'ERROR') return { problem: `the connector failed: ${clip(String(Object(error).message), 300)}` }
  const { stream_descriptor, status } = Object(stream_status) as JsonObject
  const stream = streamOf(Object(stream_descriptor))
  if (status === 'COMPLETE') return { ...stream, end: 'complete' }
  return status === 'INCOMPLETE' ? { ...stream, end: 'incomplete' } : stream
}
