import type { Check } from '../define.ts'
import { diagnoseStatus } from '../diagnose.ts'
import { summary } from '../expect.ts'
import { Deviation } from '../outcome.ts'

/** Comes first: without a key that is accepted, most of the rest cannot be checked. */
export const reachChecks = (resourcePaths: readonly string[]): Check[] => [
  {
    id: 'reach.key',
    group: 'reach',
    title: 'The key is accepted',
    why: 'Without its Authorization header no request is answered.',
    async run(client) {
      const [path = '/'] = resourcePaths
      const response = await client.read(path)
      if (response.status !== 401) return undefined
      const diagnosis = diagnoseStatus(response)
      client.keyFault = 'the key was not accepted: see reach.key'
      throw new Deviation(`GET ${path} with the key: any answer but 401`, summary(response), diagnosis)
    },
  },
]
