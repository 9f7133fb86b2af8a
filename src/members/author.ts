import type { Actor } from '../audit/log.ts'
import { UserError } from '../lib/user-error.ts'
import type { Role } from './records.ts'
import { mayManage } from './roles.ts'

/** The operator, by the name for the audit log, may do everything. A member may do what their role allows. */
export type Author = string | Manager

/** `linkBy` names the members through whose links they are signed in. */
export interface Manager {
  email: string
  role: Role
  linkBy?: string | null
}

export class OwnersOnlyError extends UserError {
  override name = 'OwnersOnlyError'
}

export const isOperator = (author: Author): author is string => typeof author === 'string'

export function actorOf(author: string | Pick<Manager, 'email' | 'linkBy'>): Actor {
  if (typeof author === 'string') return author
  const { email, linkBy = null } = author
  return linkBy === null ? email : { email, linkBy }
}

/** Throws unless the author may give or take this role, or sign in a person who has it. */
export function checkMayManage(author: Author, role: Role): void {
  if (isOperator(author) || mayManage(author.role, role)) return
  throw new OwnersOnlyError(role === 'owner' ? 'only an owner may do this for an owner' : 'a member may not do this')
}
