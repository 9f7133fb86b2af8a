import { hash } from 'node:crypto'
import { version } from '../version.ts'
import { TAKES_STATE } from './command-output.ts'
import type { Input } from './frame.ts'
import { type MessageFormat, MessageStream, parseSavedState, stateFile } from './message-stream.ts'
import { savedState } from './sources.ts'
import type { Load } from './staged-records.ts'
import { type SyncCounts, type SyncOptions, syncRecords } from './sync-records.ts'

interface StreamSync extends SyncOptions {
  format: MessageFormat
  streamName?: string | undefined
  /** The program that prints the messages. */
  exec?: string | undefined
  /** Takes the text of the state file. */
  input(state: string): Input
}

/** The program continues from the state of its last run, unless its records would be read differently now. */
export async function syncStream(load: Load, options: StreamSync): Promise<SyncCounts> {
  const { format, streamName: name, exec, map } = options
  const { state, fingerprint: last, timezone } = await load.store.read((tx) => savedState(tx, load.table, options))
  const saved = parseSavedState(state)
  const fingerprint = hash('sha256', JSON.stringify([version, format, name, exec, timezone, map?.digest]))
  const isContinued = saved.state !== undefined && last === fingerprint && exec?.includes(TAKES_STATE) === true
  const stream = new MessageStream({ format, name, saved, isContinued, isExitKnown: exec !== undefined })
  const input = options.input(stateFile(format, isContinued ? saved.state : undefined))
  return syncRecords(load, { ...options, stream, snapshot: { fingerprint } }, input)
}
