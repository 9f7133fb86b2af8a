import type { Role } from '../../members/records.ts'
import type { Clock } from './time.ts'

/** What every signed-in page needs. Pages without it (sign-in, some errors) have no navigation. */
export interface Chrome extends Clock {
  workspace: { name: string; slug: string }
  /** All that this person is a member of, the present one included; the switcher is there when there are several. */
  workspaces: { name: string; slug: string; role: Role }[]
  email: string
  role: Role
  /** Sent back by every form in the field `csrf`. */
  csrf: string
  /** Whether the page shows again what was typed before the session ended. */
  hasDraft?: boolean
}
