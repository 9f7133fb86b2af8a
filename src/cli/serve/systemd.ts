import { execFile } from 'node:child_process'
import type { Environment } from '../../config.ts'
import { printMessage } from '../terminal/output.ts'

/**
 * Under a unit with Type=notify, notifies systemd that the server is ready and, with WatchdogSec, that it is alive. Node.js cannot
 * write to systemd's datagram socket, so this runs systemd-notify, which needs NotifyAccess=all.
 */
export function notifySystemd({ NOTIFY_SOCKET, WATCHDOG_USEC }: Environment): void {
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
