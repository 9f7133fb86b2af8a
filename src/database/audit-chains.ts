import type { HashedFields } from './audit-chain.ts'

/** An entry as its row has it. */
export interface StoredEntry extends HashedFields {
  id: number
  hash: string
}

/** The last entry of a workspace, noted apart from it, and the last that was removed because of its age (0: none). */
export interface ChainHead {
  number: number
  hash: string
  trimmedNumber: number
  trimmedHash: string
}

/** The id tells entries apart that have one number, which only a damaged chain has. */
export type ChainPosition = Pick<StoredEntry, 'number' | 'id'>

/** For whoever verifies the chains: what is stored, as it is stored. */
export interface AuditChains {
  /** Of every workspace that has a head or an entry, whether or not it still exists. */
  workspaceIds(): Promise<string[]>
  head(workspaceId: string): Promise<ChainHead | undefined>
  entries(workspaceId: string, after: ChainPosition, limit: number): Promise<StoredEntry[]>
}
