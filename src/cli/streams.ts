import { ExitCode, say } from './outcome.ts'

/** What to do if the result that is being printed gets lost: see `printOnce`. */
let ifLost: string | undefined
let isOutputNeeded = true

/** Prints what cannot be printed again; `advice` says what to do should nobody get it. */
export function printOnce(text: string, advice: string): void {
  ifLost = advice
  process.stdout.write(`${text}\n`, (error) => {
    if (!error) ifLost = undefined
  })
}

/** For a server: it goes on, whether anybody reads what it prints or not. */
export function outliveOutput(): void {
  isOutputNeeded = false
}

// Nobody hears the words any more; the work goes on.
process.stderr.on('error', () => {})

process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (!isOutputNeeded) return
  if (ifLost !== undefined) say(`vitrine: the result could not be written to stdout (${code}); ${ifLost}`)
  // Whoever reads has seen enough, as `head` has.
  else if (code === 'EPIPE') process.exit()
  else say(`vitrine: the result could not be written to stdout (${code})`)
  process.exit(ExitCode.failed)
})

// It has no meaning here, and would end the program.
process.on('SIGUSR1', () => {})
