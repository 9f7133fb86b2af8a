/**
 * Passkeys (WebAuthn, level 3): a person adds one while signed in, and it reaches what that session reaches, so a link that a member
 * created leads to no passkey for other workspaces, nor to one that outlives the creator's role.
 *
 * - A challenge is a ticket, found by its own text and the secret of the browser that asked for it. It works once, for five
 *   minutes, whether or not the response to it is valid.
 * - The response is verified between two transactions: `@simplewebauthn/server` checks its type, challenge, origin, relying
 *   party, user verification and signature. Every fault in it has the same outcome, `undefined`.
 * - A signature counter that does not rise means that the passkey may have been copied: it is refused, and audited.
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { insertRow } from '../database/statements.ts'
import type { OperatorStore, Transaction } from '../database/store.ts'
import { isoOf } from '../lib/instant.ts'
import { createSecret, hashSecret, isSecret } from '../lib/secret.ts'
import type { Session, SessionScope, SignedIn, Visit } from './sessions.ts'
import { auditInEachWorkspace, currentMembership, lockMemberships, signIn } from './sessions.ts'
import { insertPending, takeTicket } from './tickets.ts'

export const MAX_PASSKEYS = 10
const CHALLENGE_SECONDS = 300
/** WebAuthn limits an id to 1,023 bytes. */
const CREDENTIAL_ID = /^[\w-]{16,1364}$/
/** Ed25519, P-256 and RSA: every authenticator supports one of them. */
const ALGORITHMS = [-8, -7, -257]
/** The library would read certificates (`x5c`), and ask their issuers about revocation. These formats need none. */
const ATTESTATIONS = ['none', 'packed']

export interface RelyingParty {
  /** The domain to which browsers bind a passkey. */
  id: string
  origin: string
}

interface PasskeyContext {
  store: Pick<OperatorStore, 'transaction'>
  party: RelyingParty
}

export interface Passkey extends SessionScope {
  id: string
  name: string
  publicKey: string
  counter: number
  createdAt: string
  usedAt: string | null
}

const PASSKEYS = `SELECT id, email, name, public_key AS "publicKey", counter, created_at AS "createdAt", used_at AS "usedAt",
  workspace_id AS "workspaceId", link_by AS "linkBy" FROM passkeys`

const allPasskeysOf = (tx: Transaction, email: string): Promise<Passkey[]> =>
  tx.all(`${PASSKEYS} WHERE email = ? ORDER BY created_at, id`, email)

/** Those that the session may manage: one that is limited to a workspace reaches only passkeys that are, too. */
export const passkeysOf = async (tx: Transaction, { email, workspaceId }: Pick<Session, 'email' | 'workspaceId'>) =>
  (await allPasskeysOf(tx, email)).filter((passkey) => workspaceId === null || passkey.workspaceId === workspaceId)

const findPasskey = async (tx: Transaction, id: string) => (await tx.all<Passkey>(`${PASSKEYS} WHERE id = ?`, id))[0]

/** Serialises one person's changes. Undefined if the session has ended. */
async function lockOwner(tx: Transaction, session: Session) {
  const memberships = await lockMemberships(tx, session)
  const current = await currentMembership(tx, session, memberships[0]?.workspaceId ?? '')
  return current === undefined ? undefined : memberships
}

/** Identifies the person to authenticators, without their address. */
const userIdOf = (email: string): string => Buffer.from(hashSecret(`passkey ${email}`), 'hex').toString('base64url')

const challengeHash = (challenge: string, browser: string): string => hashSecret(`${challenge} ${browser}`)

/** Returns the members that the options for adding and for using a passkey share. */
async function issueChallenge(tx: Transaction, browser: string, subject = '') {
  const challenge = createSecret()
  const ticket = { hash: challengeHash(challenge, browser), kind: 'passkey', subject, detail: {} } as const
  await insertPending(tx, ticket, CHALLENGE_SECONDS)
  return { challenge, timeout: CHALLENGE_SECONDS * 1000 }
}

/** For `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export const creationOptions = (context: PasskeyContext, { email, hash }: Session) =>
  context.store.transaction(async (tx) => ({
    ...(await issueChallenge(tx, hash, email)),
    rp: { id: context.party.id, name: 'Vitrine' },
    user: { id: userIdOf(email), name: email, displayName: email },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    excludeCredentials: (await allPasskeysOf(tx, email)).map(({ id }) => ({ type: 'public-key', id })),
  }))

/** For `PublicKeyCredential.parseRequestOptionsFromJSON`. It lists no passkeys: the browser finds those of this domain. */
export const requestOptions = (context: PasskeyContext, browser: string) =>
  context.store.transaction(async (tx) => {
    const challenge = await issueChallenge(tx, browser)
    return { ...challenge, rpId: context.party.id, userVerification: 'required' }
  })

/** Undefined if the response is not valid, or the challenge is not this session's. */
export async function addPasskey(
  context: PasskeyContext,
  session: Session,
  { name, credential }: { name: string; credential: string },
): Promise<'added' | 'too many' | undefined> {
  const { email, hash, workspaceId, linkBy } = session
  const response = readResponse<RegistrationResponseJSON>(credential)
  if (response === undefined || !(await takeChallenge(context, response.challenge, hash))) return undefined
  const verified = await verifyRegistration(context.party, response).catch(() => undefined)
  if (verified === undefined) return undefined
  return context.store.transaction(async (tx) => {
    const { id, publicKey, counter } = verified
    const memberships = await lockOwner(tx, session)
    if (memberships === undefined || (await findPasskey(tx, id)) !== undefined) return undefined
    if ((await allPasskeysOf(tx, email)).length >= MAX_PASSKEYS) return 'too many'
    const scope = { email, workspaceId, linkBy }
    await insertRow(tx, 'passkeys', { id, ...scope, name, publicKey, counter, createdAt: isoOf(tx.nowMs) })
    await auditInEachWorkspace(tx, { email, memberships }, 'member.passkey_added', { name })
    return 'added'
  })
}

/** Returns its name, or undefined if there was none. Its sessions continue; they are listed next to it. */
export async function removePasskey(tx: Transaction, session: Session, id: string) {
  const { email } = session
  const memberships = await lockOwner(tx, session)
  const passkey = (await passkeysOf(tx, session)).find((one) => one.id === id)
  if (memberships === undefined || passkey === undefined) return undefined
  await tx.run('DELETE FROM passkeys WHERE id = ?', id)
  await auditInEachWorkspace(tx, { email, memberships }, 'member.passkey_removed', { name: passkey.name })
  return passkey.name
}

/** `browser` asked for the challenge. Undefined if the response is not valid, or its person is no longer a member. */
export async function signInWithPasskey(
  context: PasskeyContext,
  { credential, browser, ...visit }: { credential: string; browser: string } & Visit,
): Promise<SignedIn | 'copied' | undefined> {
  const response = readResponse<AuthenticationResponseJSON>(credential)
  if (response === undefined || !(await takeChallenge(context, response.challenge, browser))) return undefined
  const passkey = await context.store.transaction((tx) => findPasskey(tx, response.json.id))
  const counter = passkey && (await verifyAuthentication(context.party, response, passkey).catch(() => undefined))
  if (passkey === undefined || counter === undefined) return undefined
  return context.store.transaction(async (tx) => {
    const { id, email, workspaceId, linkBy, name } = passkey
    const scope = { email, workspaceId, linkBy }
    const memberships = await lockMemberships(tx, scope)
    const current = await findPasskey(tx, id)
    if (current === undefined) return undefined
    if (current.counter > 0 && counter <= current.counter) {
      await auditInEachWorkspace(tx, { email, memberships }, 'member.passkey_refused', { name })
      return 'copied'
    }
    await tx.run('UPDATE passkeys SET counter = ?, used_at = ? WHERE id = ?', counter, isoOf(tx.nowMs), id)
    return signIn(tx, { scope, method: { by: 'passkey', passkey: name }, ...visit })
  })
}

const takeChallenge = ({ store }: PasskeyContext, challenge: string, browser: string): Promise<boolean> =>
  store.transaction(async (tx) => (await takeTicket(tx, challengeHash(challenge, browser), 'passkey')) !== undefined)

interface Response<Json> {
  json: Json
  challenge: string
}

/** The library checks the rest. */
function readResponse<Json>(text: string): Response<Json> | undefined {
  try {
    const json = JSON.parse(text)
    const { challenge } = JSON.parse(Buffer.from(json.response.clientDataJSON, 'base64url').toString())
    const isUsable = typeof json.id === 'string' && CREDENTIAL_ID.test(json.id) && isSecret(challenge)
    return isUsable ? { json, challenge } : undefined
  } catch {
    return undefined
  }
}

/** Loaded on first use, because many servers never need it. */
const library = () => import('@simplewebauthn/server')

function expectedBy({ id, origin }: RelyingParty, expectedChallenge: string) {
  return { expectedChallenge, expectedOrigin: origin, expectedRPID: id, requireUserVerification: true }
}

/** Rejects for most faults. */
async function verifyRegistration(party: RelyingParty, { json, challenge }: Response<RegistrationResponseJSON>) {
  const { verifyRegistrationResponse } = await library()
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const attestation = decodeAttestationObject(Buffer.from(json.response.attestationObject, 'base64url'))
  if (!ATTESTATIONS.includes(attestation.get('fmt')) || attestation.get('attStmt').get('x5c') !== undefined)
    return undefined
  const expected = { ...expectedBy(party, challenge), supportedAlgorithmIDs: ALGORITHMS }
  const { verified, registrationInfo } = await verifyRegistrationResponse({ response: json, ...expected })
  if (!verified || !CREDENTIAL_ID.test(registrationInfo.credential.id)) return undefined
  const { id, publicKey, counter } = registrationInfo.credential
  return { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter }
}

/** Returns the counter, which the caller compares. Rejects for most faults. */
async function verifyAuthentication(
  party: RelyingParty,
  { json, challenge }: Response<AuthenticationResponseJSON>,
  { id, email, publicKey }: Passkey,
): Promise<number | undefined> {
  if (json.response.userHandle !== userIdOf(email)) return undefined
  const { verifyAuthenticationResponse } = await library()
  const credential = { id, publicKey: Buffer.from(publicKey, 'base64url'), counter: 0 }
  const result = await verifyAuthenticationResponse({ response: json, ...expectedBy(party, challenge), credential })
  return result.verified ? result.authenticationInfo.newCounter : undefined
}
