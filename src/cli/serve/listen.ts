import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import type { Config } from '../../config.ts'
import { UserError } from '../../lib/user-error.ts'

type Address = Pick<Config, 'host' | 'port'>

type PortSetting = 'PORT' | 'METRICS_PORT'

/** Returns the port, which the system chooses if it is 0. */
export async function listen(server: Server, { host, port }: Address, setting: PortSetting = 'PORT'): Promise<number> {
  try {
    server.listen({ host, port })
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new UserError(listenErrorMessage(code, { host, port }, setting))
  }
}

function listenErrorMessage(code: string, { host, port }: Address, setting: PortSetting): string {
  if (code === 'EADDRINUSE') return `port ${port} on ${host} is in use by another program; stop it, or set ${setting}`
  if (code === 'EACCES') return `port ${port} cannot be opened by this user; set ${setting} to one above 1023`
  if (code === 'EMFILE' || code === 'ENFILE') return 'cannot listen: too many open files; raise the limit (ulimit -n)'
  return `cannot listen on ${host}, port ${port} (${code}); check HOST and ${setting}`
}

export function localUrl(host: string, port: number): string {
  const isAnyAddress = host === '0.0.0.0' || host === '::'
  const name = isAnyAddress ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
