import { after, type TestContext } from 'node:test'
import { type ContractService, startContractService } from './contract-service.ts'
import { modernService } from './modern-client.ts'

const ends: (() => void | Promise<void>)[] = []
after(async () => {
  for (const end of ends) await end()
})

let shared: Promise<ContractService> | undefined

/**
 * One service for all tests of the process that only ask: most take less time than its start. For each, the clock is a minute
 * further, so it finds a full quota. A test that changes data starts a service of its own.
 */
export async function sharedContractService(): Promise<ContractService> {
  shared ??= startContractService({ after: (end: () => void) => ends.push(end) } as unknown as TestContext)
  const service = await shared
  service.time.now += 60_000
  return service
}

export const sharedModernService = async () => modernService(await sharedContractService())
