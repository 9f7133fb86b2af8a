import { isNetwork } from '../lib/cidr.ts'
import { clip } from '../lib/plain-text.ts'

const MAX_NETWORKS = 50
const MAX_SHOWN = 60

export const NETWORKS_SYNTAX = `must be at most ${MAX_NETWORKS} addresses or networks in CIDR notation, separated by commas, such as 203.0.113.0/24,2001:db8::/32`

/** Separated by commas or white space. Null if the text is empty, which means everywhere; undefined if any entry is invalid. */
export function parseNetworks(text: string): string[] | null | undefined {
  const entries = new Set(text.toLowerCase().match(/[^\s,]+/g))
  if (entries.size > MAX_NETWORKS || ![...entries].every(isNetwork)) return undefined
  return entries.size === 0 ? null : [...entries]
}

/** Names the first entry that is not valid. */
export function networksFault(text: string): string {
  const wrong = text
    .toLowerCase()
    .match(/[^\s,]+/g)
    ?.find((entry) => !isNetwork(entry))
  return wrong === undefined
    ? `The networks ${NETWORKS_SYNTAX}.`
    : `“${clip(wrong, MAX_SHOWN)}” is not an address or a network in CIDR notation.`
}
