/** Each with the codes of Node.js that it explains. */
const reasons: readonly (readonly [reason: string, ...codes: string[]])[] = [
  ['there is no such host; check the URL', 'ENOTFOUND'],
  ['the host name cannot be resolved at the moment; check the DNS of this machine', 'EAI_AGAIN'],
  ['nothing accepts connections there; check the URL, and whether the server is running', 'ECONNREFUSED'],
  ['the server closed the connection', 'ECONNRESET', 'EPIPE'],
  ['the server does not respond; check the URL and the network', 'ETIMEDOUT'],
  ['the host cannot be reached from this machine; check the URL and the network', 'EHOSTUNREACH', 'ENETUNREACH'],
  [
    'the server does not speak TLS there; check the port, and whether the URL should begin with http://',
    'EPROTO',
    'ERR_SSL_WRONG_VERSION_NUMBER',
  ],
  [
    "the server's certificate is not valid for this connection; check the host in the URL, the clocks, and when the certificate expires",
    'CERT_HAS_EXPIRED',
    'CERT_NOT_YET_VALID',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ],
  [
    "the server's certificate is not trusted; set NODE_EXTRA_CA_CERTS to a file with the certificate of the authority that issued it",
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  ],
]

/** Explains why a connection failed and what to do about it. */
export const connectionFailureReason = (code: string): string | undefined =>
  reasons.find(([, ...codes]) => codes.includes(code))?.[0] ??
  (code.startsWith('HPE_') ? 'the server does not use HTTP there' : undefined)

/** The connection failed, or the response cannot be read. The message explains what to do. */
export class ConnectionError extends Error {
  override name = 'ConnectionError'
}

export function connectionError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error
  const { code = 'unknown error' } = error as NodeJS.ErrnoException
  return new ConnectionError(`${connectionFailureReason(code) ?? 'the connection failed'} (${code})`, { cause: error })
}
