import type { AgentPreview, PreviewAccess } from '../../api/agent-preview.ts'
import type { Admission } from '../../database/admission.ts'
import type { PublicStore } from '../../database/store.ts'
import type { Resource } from '../../resources/define.ts'
import { ResponseCache } from '../../resources/response-cache.ts'
import { envelopeStart, type ResultBytes } from '../result-bytes.ts'
import { allowedOf, toolMethods } from '../tools.ts'
import { discoveryInstructions } from './protocol.ts'
import { toolFormat } from './tools.ts'

const NOT_CACHED = 0

/** No key was admitted, so there is no quota, and the current revision is unknown: a unique one keeps previews from sharing a read. */
let previews = 0
const admissionOf = (access: PreviewAccess): Admission => ({
  ...access,
  keyId: 'preview',
  isConnection: false,
  quota: { limit: 1, windowSeconds: 1 },
  window: { used: 0, resetsAt: 0 },
  revision: ++previews,
})

const bodyOf = (result: ResultBytes): Buffer => Buffer.concat([envelopeStart('1', 'result'), ...result])

export function createAgentPreview(resources: readonly Resource[], store: PublicStore): AgentPreview {
  const methods = toolMethods(resources, new ResponseCache(store, NOT_CACHED), toolFormat)
  return {
    instructions: ({ permissions }) => discoveryInstructions(allowedOf(resources, permissions)),
    listTools: async (access) => bodyOf(await methods['tools/list']({}, admissionOf(access), {})),
    callTool: async (name, access) => bodyOf(await methods['tools/call']({ name }, admissionOf(access), {})),
  }
}
