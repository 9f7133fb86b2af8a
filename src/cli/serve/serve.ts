import { execFile } from 'node:child_process'
import { type Config, isGiven, readConfig, type Setting, secretNames, settings } from '../../config.ts'
import { locationOf, lockForServing } from '../../database/open.ts'
import { Command } from '../command.ts'
import type { Context } from '../context.ts'
import { ignoreOutputErrors, printMessage } from '../terminal/output.ts'
import { warnOfGone } from '../unknown-settings.ts'
import type { Urls } from './run-server.ts'

const settingLines = Object.entries<Setting<unknown>>(settings).map(
  ([name, { default: value, help }]) => `  ${name.padEnd(18)} ${help}${value === undefined ? '' : ` (${value})`}`,
)

const filesLine = `${secretNames.slice(0, -1).join(', ')} and ${secretNames.at(-1)} can also be read from files: set ${secretNames[0]}_FILE and so on.`

export const command = (context: Context) =>
  new Command('serve', 'serve the API and the settings page until stopped')
    .notes(`
SIGTERM or Ctrl+C stops the server after it has completed requests in flight, within ten seconds. A second one stops it immediately.`)
    .notes(`\nSettings, from the environment, with their defaults:\n${settingLines.join('\n')}\n\n${filesLine}`)
    .notes('\nExamples:\n  vitrine serve\n  PORT=8080 DATABASE_URL=sqlite:/var/lib/vitrine/vitrine.db vitrine serve')
    .action(() =>
      serveUntilStopped(readConfig(process.env), context, (url) => printMessage(`Vitrine listens on ${url}`)),
    )

export async function serveUntilStopped(
  config: Config,
  context: Context,
  onListening: (url: string) => void | Promise<void>,
  logFd?: 1 | 2,
): Promise<void> {
  const resources = context.requireResources()
  ignoreOutputErrors()
  warnOfGone(process.env)
  // Closing the terminal or rotating the log must not stop the server.
  process.on('SIGHUP', () => {})
  // The help of all commands needs this file, but not the server.
  const { runServer } = await import('./run-server.ts')
  using _lock = await lockForServing(config.database)
  const announce = ({ url, metricsUrl }: Urls) => {
    if (metricsUrl !== undefined) printMessage(`Metrics are at ${metricsUrl}`)
    const isDefault = !isGiven(process.env, 'DATABASE_URL')
    const reason = isDefault ? ' (in the folder where it was started, because DATABASE_URL is not set)' : ''
    printMessage(`The data is in ${locationOf(config.database)}${reason}`)
    notifySystemd()
    return onListening(url)
  }
  await runServer(config, resources, announce, logFd)
}

/**
 * Under a unit with Type=notify, notifies systemd that the server is ready and, with WatchdogSec, that it is alive. Node.js cannot
 * write to systemd's datagram socket, so this runs systemd-notify, which needs NotifyAccess=all.
 */
function notifySystemd(): void {
  const { NOTIFY_SOCKET, WATCHDOG_USEC } = process.env
  if (NOTIFY_SOCKET === undefined) return
  notify('--ready')
  const timeoutMs = Number(WATCHDOG_USEC) / 1000
  if (timeoutMs > 0) setInterval(() => notify('WATCHDOG=1'), timeoutMs / 3).unref()
}

function notify(message: string): void {
  execFile('systemd-notify', [message], (error) => {
    if (error !== null)
      printMessage(`vitrine: warning: systemd was not notified, because systemd-notify failed (${error.code})`)
  })
}
