import { isIP } from 'node:net'

/** Where the deployment is, and whom to trust there instead of the usual authorities. */
export interface Target {
  /** Without a path: the contract's paths stand at the root. */
  url: URL
  /** PEM certificates. */
  ca?: string
}

/** For a connection of one's own: an address in brackets, or as the name of a certificate, is refused. */
export function addressOf({ url, ca }: Target) {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  return { host, port, servername: isIP(host) === 0 ? host : '', ...(ca !== undefined && { ca }) }
}
