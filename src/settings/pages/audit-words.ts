import type { AuditKind } from './model.ts'

/** What was done, in words. An action that is not here is shown as it is stored. */
const words: Record<string, string> = {
  'key.created': 'Made a key',
  'key.rotated': 'Rotated a key',
  'key.revoked': 'Revoked a key',
}

export const actionText = (action: string): string => words[action] ?? action

export const kindText: Record<AuditKind, string> = {
  changes: 'Changes',
  refusals: 'Refusals',
  warnings: 'Warnings',
  members: 'Members',
}
