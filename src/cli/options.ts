import type { Command } from 'commander'
import { Misuse } from './outcome.ts'

/** Of an option given twice, one would be ignored without a word; and an empty value is a variable that was not set. */
export function refuseEmptyAndRepeated(command: Command): void {
  for (const option of command.options) {
    let isGiven = false
    command.on(`option:${option.name()}`, (value: unknown) => {
      if (isGiven) throw new Misuse(`--${option.name()}: was given twice; give it once`)
      isGiven = true
      if (value === '') throw new Misuse(`--${option.name()}: must not be empty`)
    })
  }
  command.hook('preAction', ({ registeredArguments, args }) => {
    const empty = registeredArguments.find((_, i) => args[i] === '')
    if (empty !== undefined) throw new Misuse(`<${empty.name()}>: must not be empty`)
  })
}
