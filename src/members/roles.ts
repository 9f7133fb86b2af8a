import { type Role, roles } from './records.ts'

/** Whether a role sees and changes keys and reads the audit log. Everyone else sees whom to ask. */
const manages: Record<Role, boolean> = { owner: true, admin: true, member: false }

export const isManager = ({ role }: { role: Role }): boolean => manages[role]

/** Whether a member of one role may add, change, remove and sign in one of another. Only owners may for owners. */
export const mayManage = (by: Role, whom: Role): boolean => manages[by] && (by === 'owner' || whom !== 'owner')

/** The roles that a member may give to others. */
export const rolesGrantedBy = (by: Role): readonly Role[] => roles.filter((role) => mayManage(by, role))

const managerRoles: readonly Role[] = roles.filter((role) => manages[role])

/** Owners before admins: those to ask first come first. */
export const managersAmong = <Member extends { role: Role }>(members: readonly Member[]): Member[] =>
  managerRoles.flatMap((role) => members.filter((member) => member.role === role))

/** For the help of the command line. */
export const rolesHelp = `${managerRoles.join(' and ')} can create and revoke keys, ${roles.filter((role) => !manages[role]).join(' and ')} cannot`
