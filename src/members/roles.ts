import { type Role, roles } from './records.ts'

/** Managers see and change keys and read the audit log. Other members only see who the managers are. */
const manages: Record<Role, boolean> = { owner: true, admin: true, member: false }

export const isManager = ({ role }: { role: Role }): boolean => manages[role]

/** Only owners may manage owners. */
export const mayManage = (by: Role, whom: Role): boolean => manages[by] && (by === 'owner' || whom !== 'owner')

export const rolesGrantedBy = (by: Role): readonly Role[] => roles.filter((role) => mayManage(by, role))

const managerRoles: readonly Role[] = roles.filter((role) => manages[role])

/** Owners come before admins, because they should be asked first. */
export const managersAmong = <Member extends { role: Role }>(members: readonly Member[]): Member[] =>
  managerRoles.flatMap((role) => members.filter((member) => member.role === role))

export const rolesHelp = `${managerRoles.join(' and ')} can create and revoke keys, ${roles.filter((role) => !manages[role]).join(' and ')} cannot`
