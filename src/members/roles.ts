import type { Actor } from '../audit/log.ts'
import { UserError } from '../lib/user-error.ts'
import { type Role, roles } from './records.ts'

/** Managers see and change keys and read the audit log. Other members only see who the managers are. */
const manages: Record<Role, boolean> = { owner: true, admin: true, member: false }

export const isManager = ({ role }: { role: Role }): boolean => manages[role]

/** Only owners may manage owners. */
export const mayManage = (by: Role, whom: Role): boolean => manages[by] && (by === 'owner' || whom !== 'owner')

export const rolesGrantedBy = (by: Role): readonly Role[] => roles.filter((role) => mayManage(by, role))

/** Owners come before admins, because they should be asked first. */
export const managersAmong = <Member extends { role: Role }>(members: readonly Member[]): Member[] =>
  roles.flatMap((role) => members.filter((member) => manages[role] && member.role === role))

/** The operator, given as an actor for the audit log, may do everything. A member may do what their role allows. */
export type Author = string | Manager

/** `linkBy` lists the members whose links signed this person in. */
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

/** Throws unless the author may grant or revoke this role, or create a sign-in link for a person with it. */
export function checkMayManage(author: Author, role: Role): void {
  if (isOperator(author) || mayManage(author.role, role)) return
  throw new OwnersOnlyError(role === 'owner' ? 'only an owner may do this for an owner' : 'a member may not do this')
}
