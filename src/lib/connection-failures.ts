const UNTRUSTED =
  "the server's certificate is not trusted; set NODE_EXTRA_CA_CERTS to a file with the certificate of the authority that issued it"

const NO_TLS = 'the server does not speak TLS there; check the port, and whether the URL should begin with http://'

const reasons: Record<string, string> = {
  ENOTFOUND: 'there is no such host; check the URL',
  EAI_AGAIN: 'the host name cannot be resolved at the moment; check the DNS of this machine',
  ECONNREFUSED: 'nothing accepts connections there; check the URL, and whether the server is running',
  ECONNRESET: 'the server closed the connection',
  EPIPE: 'the server closed the connection',
  ETIMEDOUT: 'the server does not respond; check the URL and the network',
  EHOSTUNREACH: 'the host cannot be reached from this machine; check the URL and the network',
  ENETUNREACH: 'the host cannot be reached from this machine; check the URL and the network',
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  CERT_HAS_EXPIRED: "the server's certificate has expired; renew it there",
  CERT_NOT_YET_VALID: "the server's certificate is not valid yet; check the clocks",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another host; check the URL",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
}

/** Explains why a connection failed and what to do about it. */
export const connectionFailureReason = (code: string): string | undefined =>
  reasons[code] ?? (code.startsWith('HPE_') ? 'the server does not speak HTTP there' : undefined)

/** The connection failed, or the response cannot be read. The message explains what to do. */
export class ConnectionError extends Error {
  override name = 'ConnectionError'
}

export function connectionError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error
  const { code = 'unknown error' } = error as NodeJS.ErrnoException
  return new ConnectionError(`${connectionFailureReason(code) ?? 'the connection failed'} (${code})`, { cause: error })
}
