import { isLoopback } from '../lib/network.ts'

const MAX_LENGTH = 500
/** RFC 3986, without a fragment or an asterisk, which some servers treat as a wildcard. A one-letter scheme would be a drive. */
const URI = /^([a-z][a-z\d+.-]+):\/(?:[\w.~:/?[\]@!$&'()+,;=-]|%[\da-f]{2})*$/i
const USER_INFO = /^[^/]+\/\/[^/?]*@/

/** Handled by browsers and operating systems, and not by an app that a person has installed. */
const RESERVED_SCHEMES = new Set(
  `about acap android-app blob cid content data dav dns feed file filesystem ftp ftps geo git gopher hcp help imap info
  intent ipfs ipp irc jar javascript ldap ldaps livescript mailto market mhtml mid mms mocha news nfs nntp onion-location
  opaquelocktoken pop res resource rtsp search search-ms sftp shell shttp sip sips sms smb smsto snmp ssh steam stun tel
  telnet tftp turn urn vbscript vbs vnc wais ws wss wyciwyg xmpp`.split(/\s+/),
)
const RESERVED_PREFIX = /^(ms-|web\+|view-|chrome|edge|brave|opera|firefox|moz-|safari|x-apple|itms|microsoft|windows)/

/** Who gets the token, in a form that people understand. */
export interface Destination {
  kind: 'web' | 'loopback' | 'app'
  /** An app's scheme ends with a colon: `claude.ai:` is not the host `claude.ai`. */
  host: string
}

/** Returns what is wrong with a redirect URI, for the client's developer. */
export function redirectUriError(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || uri.length > MAX_LENGTH) return `must be a text of at most ${MAX_LENGTH} characters`
  const url = URL.parse(uri)
  if (url === null || !URI.test(uri)) return 'must be an absolute URI in ASCII, without a fragment or an asterisk'
  if (USER_INFO.test(uri)) return 'must not contain a user name or password'
  if (/^https?:$/.test(url.protocol)) {
    if (!/^https?:\/\/[^/?]/i.test(uri)) return 'must have a host'
    const isSafe = url.protocol === 'https:' || isLocal(url)
    return isSafe ? undefined : 'must use https; http is only for localhost, 127.0.0.1 and [::1]'
  }
  const scheme = url.protocol.slice(0, -1)
  return RESERVED_SCHEMES.has(scheme) || RESERVED_PREFIX.test(scheme)
    ? 'must use https, http on localhost, or a scheme of its own'
    : undefined
}

/** Names below `localhost` are left out, because some systems ask the DNS for them. */
const isLocal = ({ hostname }: URL): boolean => isLoopback(hostname) && !hostname.endsWith('.localhost')

/** Expects an accepted URI. The host is in punycode. */
export function destinationOf(redirectUri: string): Destination {
  const url = new URL(redirectUri)
  if (!/^https?:$/.test(url.protocol)) return { kind: 'app', host: url.protocol }
  return { kind: isLocal(url) ? 'loopback' : 'web', host: url.hostname }
}

/** RFC 8252, 7.3: a program on the person's computer takes any port that is free. */
export function withoutLoopbackPort(redirectUri: string): string {
  const isHttp = /^http:/i.test(redirectUri) && destinationOf(redirectUri).kind === 'loopback'
  return isHttp ? redirectUri.replace(/^(http:\/\/[^/?]*?):\d*(?=[/?]|$)/i, '$1') : redirectUri
}
