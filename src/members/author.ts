import type { Actor } from '../audit/log.ts'
import { UserError } from '../lib/user-error.ts'
import type { Role } from './records.ts'
import { mayManage } from './roles.ts'

/**
 * Who changes members. A text is the operator, who may do everything, as the audit log names them; a member may do what
 * their role allows.
 */
export type Author = string | Manager

/** A member, with the role that they have now, and through whose link they are signed in. */
export interface Manager {
  email: string
  role: Role
  linkBy?: string | null
}

/** Only owners may do this to owners. */
export class OwnersOnlyError extends UserError {
  override name = 'OwnersOnlyError'
}

export const isOperator = (author: Author): author is string => typeof author === 'string'

/** As the audit log names them. */
export function actorOf(author: string | Pick<Manager, 'email' | 'linkBy'>): Actor {
  if (typeof author === 'string') return author
  const { email, linkBy = null } = author
  return linkBy === null ? email : { email, linkBy }
}

/** Whether the author may give this role, take it, or sign in a person who has it. */
export function checkMayManage(author: Author, role: Role): void {
  if (isOperator(author) || mayManage(author.role, role)) return
  throw new OwnersOnlyError(role === 'owner' ? 'only an owner may do this for an owner' : 'a member may not do this')
}
