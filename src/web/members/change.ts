import type { Transaction } from '../../database/store.ts'
import { sentence } from '../../lib/plain-text.ts'
import { LastOwnerError, lockMembers, MembershipBoundError } from '../../members/members.ts'
import { type MemberRecord, memberIdOf, membersOf } from '../../members/records.ts'
import { type Manager, OwnersOnlyError } from '../../members/roles.ts'
import { currentMembership } from '../../members/sessions.ts'
import { type MinimumRole, requireRole, type WorkspaceContext } from '../context.ts'
import { paths } from '../paths.ts'
import { PageError } from '../responses.ts'
import { roleText } from './list.ts'

/** Checks the role again under a lock that serialises all changes to the workspace's members. */
export async function changeMembers<T>(
  context: WorkspaceContext,
  role: MinimumRole,
  change: (tx: Transaction, manager: Manager) => Promise<T>,
): Promise<T> {
  const { store, session, workspace } = context
  const { workspaceId, slug } = workspace
  try {
    return await store.transaction(async (tx) => {
      await lockMembers(tx, workspaceId)
      const membership = await currentMembership(tx, session, workspaceId)
      requireRole(membership, role)
      return change(tx, { email: session.email, role: membership.role, linkBy: session.linkBy })
    })
  } catch (error) {
    if (error instanceof OwnersOnlyError) throw ownersOnly(slug)
    if (error instanceof MembershipBoundError) throw tooMany(slug, error.message)
    if (error instanceof LastOwnerError) throw lastOwner(slug)
    throw error
  }
}

const toMembers = (slug: string) => ({ href: paths.members(slug), text: 'Go to the members' })

export const ownersOnly = (slug: string) =>
  new PageError(403, 'Only owners can do this', 'An admin cannot change owners. Ask an owner.', [], toMembers(slug))

function lastOwner(slug: string): PageError {
  const text = 'This is its only owner, so nothing was changed. Make someone else an owner first.'
  return new PageError(409, 'The workspace needs an owner', text, [], toMembers(slug))
}

const tooMany = (slug: string, reason: string) =>
  new PageError(409, 'No one was invited', sentence(reason), [], toMembers(slug))

/** Someone else changed the role after the page was opened. */
export function roleChanged(slug: string, { email, role }: MemberRecord): PageError {
  const text = `${email} is ${roleText[role].article} now, so nothing was changed.`
  return new PageError(409, 'The role was changed meanwhile', text, [], toMembers(slug))
}

/** Usually because a form was sent twice, or someone else was faster. */
const notAMember = (slug: string) =>
  new PageError(404, 'This person is not a member', 'They may have left, or been removed.', [], toMembers(slug))

export async function memberAt({ workspace, memberId }: WorkspaceContext, tx: Transaction): Promise<MemberRecord> {
  const members = await membersOf(tx, workspace.workspaceId)
  const member = members.find((one) => memberIdOf(one) === memberId)
  if (member === undefined) throw notAMember(workspace.slug)
  return member
}
