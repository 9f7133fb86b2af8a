import type { VersionContract } from '../protocol-version.ts'
import published from './contract.json' with { type: 'json' }

export const PROTOCOL_VERSION = '2025-03-26'

export const contract = published as VersionContract
