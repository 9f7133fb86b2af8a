/** Names that never leave the machine (RFC 6761, 6.3) and its own addresses, with the brackets that a URL has around IPv6 or without. */
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?|::ffff:127(\.\d{1,3}){3})$/i

export const isLoopback = (host: string): boolean => LOOPBACK.test(host)
