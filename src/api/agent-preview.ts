import type { Admission } from '../database/admission.ts'

/** The key may exist already, or be about to be created. */
export type PreviewAccess = Pick<Admission, 'workspaceId' | 'available' | 'permissions' | 'only' | 'now'>

/**
 * What agents get in the newest protocol version, for the settings pages. There is no request and no key, so nothing is admitted,
 * counted, recorded or cached.
 */
export interface AgentPreview {
  instructions(access: PreviewAccess): string
  /** Returns the body of the response. */
  listTools(access: PreviewAccess): Promise<Buffer>
  /** Without arguments. Returns the body of the response. */
  callTool(name: string, access: PreviewAccess): Promise<Buffer>
}
