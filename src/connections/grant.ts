import type { NewKey } from '../keys/life-cycle.ts'
import type { KeyClient } from '../keys/records.ts'

/** What a person has consented to. It becomes a key when the client redeems its code. */
export interface Grant {
  client: KeyClient
  /** As the client sent it, because it has to send the same again. */
  redirectUri: string
  /** RFC 7636, always S256. */
  codeChallenge: string
  workspaceSlug: string
  /** The person. If their session was opened by another person's sign-in link, `linkBy` names the chain. */
  email: string
  linkBy: string | null
  key: NewKey
}
