import type { Config } from '../config.ts'
import type { OperatorStore } from '../storage/store.ts'
import type { Attempts } from './attempts.ts'
import type { Cookies } from './cookies.ts'
import type { IdentityProvider } from './identity-provider.ts'

/** What the settings pages are made with. */
export interface SettingsParts {
  config: Pick<Config, 'publicUrl' | 'quota'>
  store: OperatorStore
  clock: () => number
  cookies: Cookies
  attempts: Attempts
  /** Undefined where none is set up. */
  provider: IdentityProvider | undefined
}
