import type { Config } from '../config.ts'
import type { OperatorStore, Transaction } from '../database/store.ts'
import type { Resource } from '../resources/define.ts'
import type { Attempts } from './attempts.ts'
import type { Cookies } from './cookies.ts'
import type { IdentityProvider } from './identity-provider.ts'

/** What the settings pages are made with. */
export interface SettingsParts {
  config: Pick<Config, 'publicUrl' | 'quota'>
  store: Pick<OperatorStore, 'transaction' | 'read' | 'findSession'>
  /** What keys can be permitted to read. */
  resources: readonly Resource[]
  /** Instead of the time of the store. */
  clock: (() => number) | undefined
  cookies: Cookies
  attempts: Attempts
  /** Undefined where none is set up. */
  provider: IdentityProvider | undefined
}

/** The time that sessions, links and keys are judged by. It is the store's: the clocks of replicas differ. */
export const nowOf = ({ clock }: Pick<SettingsParts, 'clock'>, tx: Pick<Transaction, 'nowMs'>): number =>
  clock?.() ?? tx.nowMs
