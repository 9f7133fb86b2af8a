import type { BenchOptions } from './harness/pace.ts'
import * as mcp from './sections/mcp.ts'
import * as rest from './sections/rest.ts'
import * as workers from './sections/workers.ts'

export interface Section {
  title: string
  run(options: BenchOptions): Promise<string>
}

/** In the order in which they run and are shown; the name is what `--only` takes. */
export const sections: Readonly<Record<string, Section>> = {
  rest,
  mcp,
  workers,
}
