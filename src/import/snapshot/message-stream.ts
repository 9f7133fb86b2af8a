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
import { type MessageProtocol, protocols, type StreamMessage } from './message-protocols.ts'

/**
 * Opens a stream of messages: records, and notes about the streams and the state from which the next run continues. The records are
 * a snapshot only if the stream reports that; otherwise they are those that changed. The program continues from the state of its
 * last run, unless its records would be read differently now.
 */
export function openStream(
  format: MessageFormat,
  { streamName: name, exec, map, firstPart }: SyncOptions,
  last: LastSync | undefined,
  timezone: string | null,
) {
  const saved: SavedState = Object(parseJson(last?.state ?? '') ?? {})
  const fingerprint = hash('sha256', JSON.stringify([version, format, name, exec, timezone, map?.digest]))
  const isContinued =
    saved.state !== undefined && last?.fingerprint === fingerprint && exec?.includes(TAKES_STATE) === true
  const protocol = protocols[format]
  const stream = new MessageStream({ protocol, name, saved, isContinued, isExitKnown: exec !== undefined })
  const stateFile = JSON.stringify(protocol.stateFile(isContinued ? saved.state : undefined))
  return { fingerprint, stream, firstPart: firstPart(stateFile) }
}

interface StreamOptions {
  protocol: MessageProtocol
  /** Needed if several streams have records. */
  name?: string | undefined
  saved: SavedState
  /** Whether the program gets the saved state, and so sends only what changed since. */
  isContinued: boolean
  /** Whether the exit code is known. If so, a stream that ends is a complete snapshot, unless it continues from a state. */
  isExitKnown: boolean
}

/** Saved with the source: the state to continue from, and the version and the stream of the records. */
interface SavedState {
  state?: unknown
  version?: unknown
  stream?: string | undefined
}

/** The database enforces the same limit. */
const MAX_STATE_CHARACTERS = 1_048_576
/** Errors name this many streams, and this much of each name. */
const MAX_NAMED = 20
const MAX_NAME_CHARACTERS = 200

function bounded(state: string): string {
  if (state.length > MAX_STATE_CHARACTERS) throw new UserError('nothing was synced: the state is longer than 1 MiB')
  return state
}

type Completeness = 'unknown' | 'complete' | 'incomplete'

export class MessageStream {
  readonly #options: StreamOptions
  /** Streams that messages name. */
  readonly #streams = new Set<string>()
  /** The stream that is read: that of the last run, or of the first record. */
  #chosen: string | undefined
  #isFound = false
  isEmpty = true
  #state: unknown
  /** Of the messages since it was last measured, added to its length then. */
  #stateCharacters = 0
  /** The version of the last record, or of the activated table. */
  #version: unknown
  #hasSeveralVersions = false
  #completeness: Completeness = 'unknown'

  constructor(options: StreamOptions) {
    this.#options = options
    if (options.name === undefined) this.#chosen = options.saved.stream
    if (options.isContinued) this.#state = options.saved.state
  }

  /** Whether the records are a complete snapshot. Known once they are read. */
  get isComplete(): boolean {
    const { isExitKnown, isContinued } = this.#options
    return this.#completeness === 'unknown' ? isExitKnown && !isContinued : this.#completeness === 'complete'
  }

  /** To be saved with the records. */
  get savedState(): string | null {
    const version = this.#version ?? this.#options.saved.version
    const text = JSON.stringify({ state: this.#state, version, stream: this.#chosen } satisfies SavedState)
    return text === '{}' ? null : bounded(text)
  }

  /** The records of the stream. The messages may be in several files. */
  async *records(lines: Frames, isLastFile: boolean): Frames {
    for await (const frames of lines) yield frames.flatMap((frame) => this.#read(frame))
    const { isContinued, name = this.#chosen } = this.#options
    // A continued stream may contain nothing new.
    if (!isLastFile || isContinued || this.#streams.size === 0 || this.#isFound) return
    yield [{ problem: `there is no stream ${name}, only ${[...this.#streams].join(', ')}`, endsFile: true }]
  }

  #read(frame: Frame): Frame[] {
    const parsed = valueIn(frame, 0)
    const message = 'problem' in parsed ? parsed : this.#options.protocol.decode(Object(parsed.value))
    if ('problem' in message) return [{ ...frame, ...message }]
    this.isEmpty = false
    const { stream, record, version } = message
    const selection = this.#select(message)
    if (typeof stream === 'string' && this.#streams.size < MAX_NAMED)
      this.#streams.add(clip(stream, MAX_NAME_CHARACTERS))
    this.#isFound ||= selection === 'chosen' && typeof stream === 'string'
    if (message.state !== undefined) {
      this.#state = message.state(this.#state)
      this.#limitState(JSON.stringify(Object(parsed).value).length)
    }
    if (message.end !== undefined && selection === 'chosen') this.#onEnd(message.end, version)
    if (record === undefined) return []
    if (typeof stream !== 'string' || !isObject(record))
      return [{ ...frame, problem: 'is a RECORD without a stream name or without a record' }]
    if (selection === 'other') return []
    if (selection === 'conflict') {
      const problem = `is of ${stream}, not of ${this.#chosen}; choose one with --stream`
      return [{ ...frame, problem, endsFile: true }]
    }
    this.#chosen = stream
    this.#onRecord(version)
    return [{ ...frame, value: record }]
  }

  /** While reading, since a connector could name new streams until they fill the memory. The whole is measured only if it may be too long. */
  #limitState(added: number): void {
    this.#stateCharacters += added
    if (this.#stateCharacters > MAX_STATE_CHARACTERS)
      this.#stateCharacters = bounded(JSON.stringify([this.#state])).length
  }

  /**
   * Returns `conflict` if no stream was requested and several have records, now or in the last run, or if several match a name without
   * a namespace.
   */
  #select({ stream, name }: StreamMessage): 'chosen' | 'other' | 'conflict' {
    const { name: asked = stream } = this.#options
    if (asked !== stream && asked !== name) return 'other'
    return (this.#chosen ?? stream) === stream ? 'chosen' : 'conflict'
  }

  /** A record after the end means that it was not the end. */
  #onRecord(version: unknown): void {
    this.#hasSeveralVersions ||= this.#version !== undefined && version !== undefined && this.#version !== version
    this.#version = version ?? this.#version
    this.#setCompleteness('unknown')
  }

  /** Without a new version, the records of earlier runs are not repeated. */
  #onEnd(end: Completeness, version: unknown): void {
    const { isContinued, saved } = this.#options
    const isWhole =
      version === undefined
        ? !isContinued
        : version !== saved.version && !this.#hasSeveralVersions && (this.#version ?? version) === version
    this.#version = version ?? this.#version
    this.#setCompleteness(end === 'complete' && !isWhole ? 'unknown' : end)
  }

  /** The last message counts, but a stream that was incomplete stays so. */
  #setCompleteness(completeness: Completeness): void {
    if (this.#completeness !== 'incomplete') this.#completeness = completeness
  }
}
