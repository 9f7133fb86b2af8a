import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest()
const base64url = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64url')

const [PRESENT, VERIFIED, HAS_KEY] = [0x01, 0x04, 0x40]

interface Options {
  challenge: string
  user?: { id: string }
}

/** What a test changes about a response. */
interface Faults {
  origin?: string
  rpId?: string
  type?: string
  challenge?: string
  isVerified?: boolean
  userHandle?: string
  counter?: number
  format?: string
  /** By its own key, as of format `packed`. */
  isSigned?: boolean
  /** A list that is null, so that no fault in a certificate explains the refusal. */
  hasCertificates?: boolean
  id?: string
}

/** A security key in software, with one passkey (P-256), which returns whatever a test wants. */
export class Authenticator {
  readonly origin: string
  readonly id = randomBytes(32).toString('base64url')
  counter = 0
  userHandle = ''
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })

  constructor(origin: string) {
    this.origin = origin
  }

  create({ challenge, user }: Options, faults: Faults = {}): string {
    this.userHandle = user?.id ?? ''
    const id = faults.id ?? this.id
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    const [keyX, keyY] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
    const cose = Buffer.concat([hex('a5010203262001215820'), keyX, hex('225820'), keyY])
    const raw = Buffer.from(id, 'base64url')
    const attested = Buffer.concat([Buffer.alloc(16), uint16(raw.length), raw, cose])
    const data = Buffer.concat([this.#data(HAS_KEY, faults), attested])
    const clientDataJSON = this.#clientData('webauthn.create', challenge, faults)
    const attestationObject = Buffer.concat([
      ...[hex('a3'), cborText('fmt'), cborText(faults.format ?? 'none'), cborText('attStmt')],
      this.#statement(Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))]), faults),
      ...[cborText('authData'), hex('59'), uint16(data.length), data],
    ])
    return this.#json({ clientDataJSON, attestationObject: base64url(attestationObject) }, id)
  }

  get({ challenge }: Options, faults: Faults = {}): string {
    const data = this.#data(0, faults)
    const clientDataJSON = this.#clientData('webauthn.get', challenge, faults)
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))])
    return this.#json(
      {
        clientDataJSON,
        authenticatorData: base64url(data),
        signature: base64url(sign('sha256', signed, this.#keys.privateKey)),
        userHandle: faults.userHandle ?? this.userHandle,
      },
      faults.id ?? this.id,
    )
  }

  #statement(signed: Buffer, { isSigned = false, hasCertificates = false }: Faults): Buffer {
    if (!isSigned) return hex('a0')
    const signature = sign('sha256', signed, this.#keys.privateKey)
    return Buffer.concat([
      ...[hex(hasCertificates ? 'a3' : 'a2'), cborText('alg'), hex('26')],
      ...[cborText('sig'), hex('58'), Buffer.from([signature.length]), signature],
      ...(hasCertificates ? [cborText('x5c'), hex('f6')] : []),
    ])
  }

  #data(more: number, { rpId, isVerified = true, counter = this.counter }: Faults): Buffer {
    const flags = PRESENT | (isVerified ? VERIFIED : 0) | more
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(rpId ?? new URL(this.origin).hostname), Buffer.from([flags]), count])
  }

  #clientData(type: string, challenge: string, faults: Faults): string {
    const given = { type: faults.type ?? type, challenge: faults.challenge ?? challenge }
    return base64url(JSON.stringify({ ...given, origin: faults.origin ?? this.origin, crossOrigin: false }))
  }

  #json(response: Record<string, string>, id: string): string {
    return JSON.stringify({ id, rawId: id, type: 'public-key', response, clientExtensionResults: {} })
  }
}

const hex = (text: string) => Buffer.from(text, 'hex')
const cborText = (text: string) => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)])
function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
