import { Option } from 'commander'

interface Known {
  values: readonly string[] | (() => Promise<readonly string[]>)
  /** Whether several may be given, comma-separated. */
  isList?: boolean
  /** Whether a file may be given instead. */
  orFile?: boolean
}

/** An option whose values shell completion offers. What is given is judged by the command, in its own words. */
export class OptionWithKnownValues extends Option {
  readonly known: Known

  constructor(flags: string, description: string, known: Known) {
    super(flags, description)
    this.known = known
  }
}
