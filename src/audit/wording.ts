import type { AuditKind } from './trail.ts'

/** Other actions are shown as stored. */
const actions: Record<string, string> = {
  'key.created': 'Created the key',
  'key.connected': 'Connected a program',
  'key.updated': 'Changed the key',
  'key.paused': 'Paused the key',
  'key.resumed': 'Resumed the key',
  'key.rotated': 'Rotated the key',
  'key.rotation_cancelled': 'Cancelled the rotation of the key',
  'key.revoked': 'Revoked the key',
  'key.tried': 'Tried the key',
  'key.purged': 'Removed keys that ended long ago',
  'key.refused.unknown': 'Refused: no such key',
  'key.refused.revoked': 'Refused: revoked',
  'key.refused.expired': 'Refused: expired',
  'key.refused.paused': 'Refused: paused',
  'key.refused.network': 'Refused: from another network',
  'key.refused.over_quota': 'Refused: over its limit',
  'key.refused.forbidden': 'Refused: not permitted',
  'key.refused.reused': 'Refused: used a token twice',
  'key.seen.url': 'Seen in a URL',
  'key.seen.browser': 'Seen in a browser',
  'member.added': 'Added a member',
  'member.role_changed': 'Changed a role',
  'member.removed': 'Removed a member',
  'member.link_made': 'Created a sign-in link',
  'session.started': 'Signed in',
  'session.ended': 'Signed out',
  'workspace.created': 'Created the workspace',
  'workspace.archived': 'Archived the workspace',
  'workspace.restored': 'Restored the workspace',
  'workspace.updated': 'Changed the workspace',
  'workspace.deleted': 'Deleted the workspace',
  'resource.dropped': 'Removed the rows of a retired resource',
  'audit.pruned': 'Removed old entries of this log',
}

const dataVerbs: Record<string, string> = { imported: 'Imported', synced: 'Synced', deleted: 'Deleted' }

/** A resource's rows have actions such as `orders.imported`, which is "Imported orders". */
export function actionText(action: string): string {
  const [rows, verb = ''] = action.split('.')
  return actions[action] ?? (Object.hasOwn(dataVerbs, verb) ? `${dataVerbs[verb]} ${rows}` : action)
}

export const kindText: Record<AuditKind, string> = {
  changes: 'Changes',
  refusals: 'Refusals',
  warnings: 'Warnings',
  members: 'Members',
  sessions: 'Sign-ins',
}
