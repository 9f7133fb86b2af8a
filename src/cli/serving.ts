import type { Config } from '../config.ts'
import { lockForServing } from '../database/open.ts'
import type { Context } from './context.ts'
import type { OnListening } from './listen.ts'
import { misspeltSettings } from './misspelt-settings.ts'
import { ignoreOutputErrors, printMessage } from './output.ts'

/** Serves until SIGTERM or SIGINT. `onListening` gets the address that clients can use. */
export async function serveUntilStopped(config: Config, context: Context, onListening: OnListening): Promise<void> {
  ignoreOutputErrors()
  for (const { given, meant } of misspeltSettings(process.env))
    printMessage(`vitrine: warning: ${given} is not a setting and has no effect; did you mean ${meant}?`)
  // A terminal that is closed, or a log that is rotated, is no reason to stop.
  process.on('SIGHUP', () => {})
  // A thread that only minds others does not load the server itself.
  const serve =
    config.workers === 1 ? (await import('./alone.ts')).serveAlone : (await import('./workers.ts')).serveWithWorkers
  const lock = await lockForServing(config.database)
  try {
    await serve(config, context, onListening)
  } finally {
    lock.release()
  }
}
