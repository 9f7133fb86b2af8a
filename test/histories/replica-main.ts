/**
 * A replica in a process of its own whose clock can be set, and which can be given a fault on purpose. Tells its parent
 * the port; takes `{ clockMs }`.
 */

import type { AddressInfo } from 'node:net'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { Admission } from '../../src/database/admission.ts'
import { openPublicStore } from '../../src/database/open.ts'
import type { PublicStore } from '../../src/database/store.ts'
import { resources } from '../../src/resources/index.ts'
import { silentLogger } from '../support/silent-logger.ts'

let offsetMs = 0
const realNow = Date.now.bind(Date)

/** What the operating system does to every clock of a process when its time is set. */
class SteppedDate extends Date {
  constructor(...given: [] | [string | number | Date]) {
    if (given.length === 0) super(realNow() + offsetMs)
    else super(...(given as [string | number | Date]))
  }
  static override now = () => realNow() + offsetMs
}
globalThis.Date = SteppedDate as DateConstructor

process.on('message', (message: { clockMs: number }) => {
  offsetMs = message.clockMs
})
process.on('disconnect', () => process.exit())

/** Faults that the checker must find. Each is one that a cache added carelessly would bring. */
const faults: Record<string, (fresh: Admission, known: Admission | undefined) => Admission | undefined> = {
  /** Trusts the revision that it read a moment ago. */
  stale: (fresh, known) => (known === undefined ? fresh : { ...fresh, revision: known.revision }),
  /** Admits a key that was admitted a moment ago. */
  revoked: (fresh, known) => (fresh === undefined || 'reason' in fresh ? (known ?? fresh) : fresh),
  /** Counts only for itself, and starts over all the time. */
  quota: (fresh, known) => fresh && { ...fresh, window: { ...fresh.window, used: known === undefined ? 1 : 2 } },
}
const FAULT_MS = 500

function withFault(store: PublicStore, fault: string): PublicStore {
  const change = faults[fault]
  if (change === undefined) return store
  const known = new Map<string, { admission: Admission; since: number }>()
  const admit: PublicStore['admit'] = async (hash) => {
    const fresh = await store.admit(hash)
    const kept = known.get(hash)
    const isRecent = kept !== undefined && performance.now() - kept.since < FAULT_MS
    if (!isRecent && fresh !== undefined && !('reason' in fresh))
      known.set(hash, { admission: fresh, since: performance.now() })
    return change(fresh as Admission, isRecent ? kept.admission : undefined)
  }
  return new Proxy(store, {
    get(target, name) {
      if (name === 'admit') return admit
      const member = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

const config = readConfig(process.env)
const store = await openPublicStore(config.database, resources, { defaultQuota: config.quota, onUseFailure: () => {} })
const { server } = createApp(config, withFault(store, process.env.FAULT ?? ''), { log: silentLogger })
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
