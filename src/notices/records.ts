import { createHmac } from 'node:crypto'
import { appendAudit, chainHead } from '../audit/log.ts'
import { insertRow } from '../database/statements.ts'
import type { Transaction } from '../database/store.ts'
import { isoOf } from '../lib/instant.ts'
import { createSecret, hashSecret } from '../lib/secret.ts'
import type { MemberRecord } from '../members/records.ts'
import { type Author, actorOf } from '../members/roles.ts'
import { createSigningSecret } from './webhook.ts'

/** The page for unsubscribing, which mail links to. */
export const UNSUBSCRIBE_PATH = '/settings/unsubscribe'

/** What owners can choose. */
export const noticeKinds = ['leaked', 'expiring', 'refused', 'quota', 'source', 'connection', 'member'] as const
export type NoticeKind = (typeof noticeKinds)[number]

export interface NoticeChoices {
  kinds: readonly NoticeKind[]
  webhookUrl: string | null
  /** Members who are owners or admins, by email. */
  recipients: readonly string[]
}

export interface NoticeSettings extends NoticeChoices {
  webhookSecret: string | null
  unsubscribeKey: string
  auditSeen: number
  refusalsSeen: string
}

export const MAX_RECIPIENTS = 20

/** Until an owner chooses: a leaked key is reported to all owners, wherever mail can be sent. */
export function defaultNotices(
  members: readonly Pick<MemberRecord, 'email' | 'role'>[],
  canMail: boolean,
): NoticeChoices {
  const owners = members.filter(({ role }) => role === 'owner').map(({ email }) => email)
  const isUseful = canMail && owners.length > 0
  return {
    kinds: isUseful ? ['leaked'] : [],
    webhookUrl: null,
    recipients: isUseful ? owners.sort().slice(0, MAX_RECIPIENTS) : [],
  }
}

/** Removed and demoted members are not among the recipients. */
export const findNotices = async (tx: Transaction, workspaceId: string): Promise<NoticeSettings | undefined> => {
  const [row] = await tx.all<Omit<NoticeSettings, 'kinds'> & { kinds: string }>(
    `SELECT kinds, webhook_url AS "webhookUrl", webhook_secret AS "webhookSecret", unsubscribe_key AS "unsubscribeKey",
       audit_seen AS "auditSeen", refusals_seen AS "refusalsSeen"
     FROM notice_settings WHERE workspace_id = ?`,
    workspaceId,
  )
  if (row === undefined) return undefined
  const recipients = await tx.all<{ email: string }>(
    `SELECT email FROM notice_recipients JOIN members USING (workspace_id, email)
     WHERE workspace_id = ? AND role <> 'member'`,
    workspaceId,
  )
  const chosen = row.kinds.split(' ')
  const kinds = noticeKinds.filter((kind) => chosen.includes(kind))
  // Databases sort addresses differently.
  return { ...row, kinds, recipients: recipients.map(({ email }) => email).sort() }
}

export const lockNotices = (tx: Transaction, workspaceId: string) => tx.lock(`notices of ${workspaceId}`)

/** Earlier events are not reported, except for keys that expire soon. */
export async function saveNotices(
  tx: Transaction,
  workspaceId: string,
  { kinds, webhookUrl, recipients }: NoticeChoices,
  by: Author,
): Promise<void> {
  const at = isoOf(tx.nowMs)
  const before = await findNotices(tx, workspaceId)
  const key = before?.unsubscribeKey ?? createSecret()
  const secret = webhookUrl && (before?.webhookSecret ?? createSigningSecret())
  const seen = (await chainHead(tx, workspaceId))?.number ?? 0
  await tx.run(
    `INSERT INTO notice_settings
       (workspace_id, kinds, webhook_url, webhook_secret, unsubscribe_key, audit_seen, refusals_seen, expiries_seen)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (workspace_id) DO UPDATE
     SET kinds = excluded.kinds, webhook_url = excluded.webhook_url, webhook_secret = excluded.webhook_secret`,
    ...[workspaceId, kinds.join(' '), webhookUrl, secret, key, seen, at, at],
  )
  await tx.run('DELETE FROM notice_recipients WHERE workspace_id = ?', workspaceId)
  for (const email of recipients) {
    const tokenHash = hashSecret(unsubscribeToken(key, email))
    await insertRow(tx, 'notice_recipients', { workspaceId, email, tokenHash })
  }
  // A webhook's path may be a secret, so only its host is recorded.
  const detail = { kinds, recipients, webhook: webhookUrl && new URL(webhookUrl).host }
  await appendAudit(tx, { workspaceId, actor: actorOf(by), action: 'notices.updated', subject: workspaceId, detail })
}

export async function replaceSecret(tx: Transaction, workspaceId: string, by: Author): Promise<string> {
  const secret = createSigningSecret()
  await tx.run('UPDATE notice_settings SET webhook_secret = ? WHERE workspace_id = ?', secret, workspaceId)
  const entry = { workspaceId, actor: actorOf(by), subject: workspaceId }
  await appendAudit(tx, { ...entry, action: 'notices.secret_replaced', detail: {} })
  return secret
}

/** Every mail to a person has this token, so that the link in an old one still works. Only its hash is stored. */
export const unsubscribeToken = (key: string, email: string): string =>
  createHmac('sha256', key).update(`unsubscribe ${email}`).digest('base64url')

/** False if the token is not in use. The holder of the link may not be the member, so the link is the actor. */
export async function unsubscribe(tx: Transaction, token: string): Promise<boolean> {
  const sql = 'SELECT workspace_id AS "workspaceId", email AS subject FROM notice_recipients WHERE token_hash = ?'
  const [recipient] = await tx.all<{ workspaceId: string; subject: string }>(sql, hashSecret(token))
  if (recipient === undefined) return false
  const { workspaceId, subject } = recipient
  // An owner who is saving the same choices would bring the recipient back.
  await lockNotices(tx, workspaceId)
  if ((await tx.run('DELETE FROM notice_recipients WHERE token_hash = ?', hashSecret(token))) === 0) return false
  const entry = { workspaceId, actor: 'unsubscribe link', subject }
  await appendAudit(tx, { ...entry, action: 'notices.unsubscribed', detail: {} })
  return true
}
