import { hash } from 'node:crypto'
import { isObject } from '../../lib/checker.ts'
import { parseJson } from '../../lib/json-text.ts'
import { clip } from '../../lib/plain-text.ts'
import { UserError } from '../../lib/user-error.ts'
import { version } from '../../version.ts'
import { type Frame, type Frames, valueIn } from '../format/frame.ts'
import type { LastSync } from '../sources.ts'
import type { MessageFormat, SyncOptions } from '../sync-options.ts'
import { TAKES_STATE } from './command-output.ts'

/**
 * Opens a stream of messages: records, and notes about the streams and the state from which the next run continues. The records are
 * a snapshot only if the stream reports that; otherwise they are those that changed. The program continues from the state of its
 * last run, unless its records would be read differently now.
 */
export function openStream(
  format: MessageFormat,
  { streamName: name, exec, map, parts }: SyncOptions,
  last: LastSync | undefined,
  timezone: string | null,
) {
  const saved: SavedState = Object(parseJson(last?.state ?? '') ?? {})
  const fingerprint = hash('sha256', JSON.stringify([version, format, name, exec, timezone, map?.digest]))
  const isContinued =
    saved.state !== undefined && last?.fingerprint === fingerprint && exec?.includes(TAKES_STATE) === true
  const stream = new MessageStream({ format, name, saved, isContinued, isExitKnown: exec !== undefined })
  return { fingerprint, stream, parts: parts(stateFile(format, isContinued ? saved.state : undefined)) }
}

interface StreamOptions {
  format: MessageFormat
  /** Needed if there are several. */
  name?: string | undefined
  saved: SavedState
  /** Whether the program gets the saved state, and so sends only what changed since. */
  isContinued: boolean
  /** Whether the program's exit code is known: then a stream that ends is whole, unless it is continued. */
  isExitKnown: boolean
}

interface Message {
  stream?: unknown
  /** Only in Airbyte. The same name in two namespaces is two streams. */
  namespace?: unknown
  /** Null if the record has none. */
  record?: unknown
  /** The version of a record, or of the complete table. */
  version?: unknown
  isComplete?: boolean
  /** Takes the state before this message, and returns the one after it. */
  state?(before: unknown): unknown
}

/** The database enforces the same limit. */
const MAX_STATE_CHARACTERS = 1_048_576
/** Further streams are not named in errors. */
const MAX_STREAMS = 1000

/** Saved with the source: the state to continue from, and the version and the stream of the records. */
interface SavedState {
  state?: unknown
  version?: unknown
  stream?: string | undefined
}

/** The state as the program expects it. */
function stateFile(format: MessageFormat, state: unknown): string {
  if (format === 'singer') return JSON.stringify(state ?? {})
  const messages = (state ?? []) as AirbyteState[]
  return JSON.stringify(messages.find(({ data }) => data !== undefined)?.data ?? messages)
}

export class MessageStream {
  readonly #options: StreamOptions
  readonly #streams = new Set<string>()
  /** The stream that is read, once it is known. */
  #name: string | undefined
  #isFound = false
  #state: unknown
  /** The version of the last record, or of the activated table. */
  #version: unknown
  #hasSeveralVersions = false
  #isComplete: boolean | undefined
  #isEmpty = true

  constructor(options: StreamOptions) {
    this.#options = options
    if (options.name === undefined) this.#name = options.saved.stream
    if (options.isContinued) this.#state = options.saved.state
  }

  get isEmpty(): boolean {
    return this.#isEmpty
  }

  /** Whether the records are a complete snapshot. Known once they are read. */
  get isComplete(): boolean {
    const { isExitKnown, isContinued } = this.#options
    return this.#isComplete ?? (isExitKnown && !isContinued)
  }

  /** To be saved with the records. */
  get savedState(): string | null {
    const version = this.#version ?? this.#options.saved.version
    const text = JSON.stringify({ state: this.#state, version, stream: this.#name } satisfies SavedState)
    if (text === '{}') return null
    if (text.length > MAX_STATE_CHARACTERS) throw new UserError('nothing was synced: the state is longer than 1 MiB')
    return text
  }

  /** The records of the stream. The messages may be in several files. */
  async *records(lines: Frames, isLastFile: boolean): Frames {
    for await (const frames of lines) yield frames.flatMap((frame) => this.#read(frame))
    const name = this.#options.name ?? this.#name
    // A continued stream may contain nothing new.
    if (!isLastFile || this.#options.isContinued || this.#streams.size === 0 || this.#isFound) return
    yield [
      { problem: `there is no stream ${name}, only ${[...this.#streams].slice(0, 20).join(', ')}`, endsFile: true },
    ]
  }

  #read(frame: Frame): Frame[] {
    const parsed = valueIn(frame, 0)
    const message = 'problem' in parsed ? parsed : readers[this.#options.format](Object(parsed.value))
    if ('problem' in message) return [{ ...frame, ...message }]
    this.#isEmpty = false
    const stream = message.namespace ? `${message.namespace}.${message.stream}` : message.stream
    const { name = stream } = this.#options
    const isOther = name !== stream && name !== message.stream
    const isChosen = !isOther && (this.#name ?? stream) === stream
    if (typeof stream === 'string' && this.#streams.size < MAX_STREAMS) this.#streams.add(stream)
    this.#isFound ||= isChosen && typeof stream === 'string'
    if (message.state !== undefined) this.#state = message.state(this.#state)
    if (message.isComplete !== undefined && isChosen) this.#end(message)
    if (message.record === undefined) return []
    if (typeof stream !== 'string' || !isObject(message.record))
      return [{ ...frame, problem: 'is a RECORD without a stream name or without a record' }]
    if (isOther) return []
    if (!isChosen)
      return [{ ...frame, problem: `is of ${stream}, not of ${this.#name}; choose one with --stream`, endsFile: true }]
    this.#name = stream
    this.#begin(message.version)
    return [{ ...frame, value: message.record }]
  }

  #begin(version: unknown): void {
    this.#hasSeveralVersions ||= this.#version !== undefined && version !== undefined && this.#version !== version
    this.#version = version ?? this.#version
    // A record after the end means that it was not the end.
    this.#isComplete &&= undefined
  }

  /** Without a new version, the records of earlier runs are not repeated. A stream that was incomplete stays so. */
  #end({ isComplete, version }: Message): void {
    const isWhole =
      version === undefined
        ? !this.#options.isContinued
        : version !== this.#options.saved.version && !this.#hasSeveralVersions && (this.#version ?? version) === version
    this.#version = version ?? this.#version
    if (this.#isComplete !== false) this.#isComplete = isComplete ? isWhole || undefined : false
  }
}

type Fields = Record<string, unknown>

const readers: Record<MessageFormat, (message: Fields) => Message | { problem: string }> = {
  singer({ type, stream, record, version, value }) {
    if (type === 'RECORD') return { record: record ?? null, stream, version }
    if (type === 'ACTIVATE_VERSION') return { isComplete: true, stream, version }
    if (type === 'STATE') return { state: () => value }
    if (type === 'SCHEMA') return { stream }
    return unknownType(type, 'Singer')
  },
  airbyte({ type, record, state, trace }) {
    const { data = null, stream, namespace } = Object(record) as Fields
    if (type === 'RECORD') return { record: data, stream, namespace }
    if (type === 'STATE') return airbyteState(Object(state))
    if (type === 'TRACE') return airbyteTrace(Object(trace))
    return AIRBYTE_OTHERS.includes(type) ? {} : unknownType(type, 'Airbyte')
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

const descriptorOf = ({ stream }: AirbyteState) => Object(stream?.stream_descriptor) as Fields
const streamIn = ({ name: stream, namespace }: Fields) => ({ stream, namespace })

/** A connector gets the last state of every stream. */
function airbyteState(state: AirbyteState): Message {
  const keyOf = (each: AirbyteState) => JSON.stringify([descriptorOf(each).name, descriptorOf(each).namespace ?? null])
  const isOfAll = state.type === 'GLOBAL' || state.data !== undefined
  const others = (before: unknown) => ((before ?? []) as AirbyteState[]).filter((each) => keyOf(each) !== keyOf(state))
  return { ...streamIn(descriptorOf(state)), state: (before) => [...(isOfAll ? [] : others(before)), state] }
}

function airbyteTrace({ type, error, stream_status }: Fields): Message | { problem: string } {
  if (type === 'ERROR') return { problem: `the connector failed: ${clip(String(Object(error).message), 300)}` }
  const { stream_descriptor, status } = Object(stream_status) as Fields
  const stream = streamIn(Object(stream_descriptor))
  return status === 'COMPLETE' || status === 'INCOMPLETE' ? { isComplete: status === 'COMPLETE', ...stream } : stream
}
