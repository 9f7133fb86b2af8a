import type { BenchOptions } from '../harness/schedule.ts'
import * as afterChange from './after-change.ts'
import * as declared from './declared.ts'
import * as growth from './growth.ts'
import * as imports from './import.ts'
import * as mcp from './mcp.ts'
import * as overload from './overload.ts'
import * as postgres from './postgres.ts'
import * as questions from './questions.ts'
import * as rest from './rest.ts'
import * as startAndMemory from './start-and-memory.ts'

export interface Section {
  title: string
  run(options: BenchOptions): Promise<string>
}

/** Those of a quick run that is not told which; the others take as long to set up as these to run. */
export const quickSections: readonly string[] = ['rest', 'mcp', 'after-change', 'start-and-memory']

/** In the order in which they run and are shown; the name is what `--only` takes. */
export const sections: Readonly<Record<string, Section>> = {
  rest,
  mcp,
  'after-change': afterChange,
  postgres,
  'start-and-memory': startAndMemory,
  growth,
  questions,
  declared,
  import: imports,
  overload,
}
