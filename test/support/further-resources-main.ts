/** The command line over further-resources.ts, as src/cli/main.ts is over the published list. */
import { run } from '../../src/cli/program.ts'

await run(import.meta.resolve('./further-resources.ts'))
