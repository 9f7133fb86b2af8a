import { isObject } from '../lib/checker.ts'
import type { RecordReader } from './record.ts'

/**
 * Understands `"deleted": true`, which says of an import record that its row is to be deleted: then only the id is needed. A
 * snapshot lists what is there, so a sync refuses it; false and null say the same as leaving it out.
 */
export function withDeletions(reader: RecordReader, areTaken: boolean): RecordReader {
  return {
    ...reader,
    read(value) {
      if (!isObject(value) || !Object.hasOwn(value, 'deleted')) return reader.read(value)
      const { deleted, ...record } = value
      if (deleted === false || deleted === null) return reader.read(record)
      const problem = deleted !== true ? 'must be true or false' : areTaken ? undefined : NOT_IN_SNAPSHOT
      const filled = Object.fromEntries(Object.entries(record).filter(([, member]) => member !== null))
      const read = reader.read(deleted === true ? filled : record)
      const faults = 'faults' in read ? read.faults : []
      const counting =
        deleted === true ? faults.filter(({ field, problem }) => field === 'id' || problem !== REQUIRED) : faults
      const all = problem === undefined ? counting : [...counting, { field: 'deleted', problem }]
      return all.length > 0 ? { faults: all } : { row: { id: record.id as string, deleted: 1 } }
    },
  }
}

const REQUIRED = 'is required'
const NOT_IN_SNAPSHOT = 'is not for a snapshot, which lists what is there; leave the record out'
