import type { OperatorStore, Transaction } from '../../src/database/store.ts'

type Store = Pick<OperatorStore, 'transaction'> & Partial<OperatorStore>

/** The store, but the time of its transactions is the clock's. */
export function atTime<Given extends Store>(store: Given, clock: () => number): Given {
  const timed =
    <T>(work: (tx: Transaction) => Promise<T>) =>
    (tx: Transaction) =>
      work(instead(tx, { nowMs: clock() }))
  const others: Store = {
    transaction: (work) => store.transaction(timed(work)),
    read: (work, isGone) => (store as unknown as OperatorStore).read(timed(work), isGone),
    async findSession(hash) {
      const found = await store.findSession?.(hash)
      return found && { ...found, nowMs: clock() }
    },
  }
  return instead(store, others as Partial<Given>)
}

const instead = <T extends object>(target: T, others: Partial<T>): T =>
  new Proxy(target, {
    get(_, name) {
      if (Object.hasOwn(others, name)) return Reflect.get(others, name)
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
