/**
 * What each page is made from: plain data, nothing asked of storage. Instants are ISO text. A page is a pure function
 * of its model, so it can be tested, pictured and checked for accessibility without a service.
 */

import type { AuditKind } from '../../audit/trail.ts'
import type { Quota } from '../../database/store.ts'
import type { KeyState } from '../../keys/state.ts'
import type { Role } from '../../members/records.ts'

/** What every signed-in page needs. Pages without it (sign-in, some errors) have no navigation. */
export interface Chrome {
  workspace: { name: string; slug: string }
  /** All that this person is a member of, the present one included; the switcher is there when there are several. */
  workspaces: { name: string; slug: string }[]
  email: string
  role: Role
  /** Sent back by every form in the field `csrf`. */
  csrf: string
  /** The time by which "2 hours ago" and "in 3 days" are told. */
  now: string
}

export interface Notice {
  tone: 'good' | 'bad' | 'neutral'
  text: string
}

// Signing in

/** GET /settings/sign-in */
export interface SignInModel {
  oidc: boolean
  /** Why the page is here: "This link was used already", "You signed out", … */
  notice: Notice | null
}

/** GET /settings/sign-in/link?token=…: a button, whose POST sends `token` (and `csrf`) back. */
export interface SignInConfirmModel {
  token: string
  /** The double-submit token of the visitor who is not signed in yet. */
  csrf: string
}

// Keys

/** A key was sent in a way in which keys must not be sent. The request was refused; the key should be rotated. */
export interface KeyWarning {
  seen: 'url' | 'browser'
  at: string
}

export interface KeyRow {
  id: string
  label: string
  /** The first characters, as stored: `vtr_8fK2aQ`. */
  prefix: string
  permissions: string[]
  /** Null: the workspace's own limit. */
  quota: Quota | null
  madeBy: string
  madeAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  /** Requests on each of the last 14 days, oldest first, today last. */
  dailyUse: number[]
  state: KeyState
  warnings: KeyWarning[]
}

/** GET /settings/workspaces/<slug>/keys, for an owner or an admin. */
export interface KeysModel {
  chrome: Chrome
  /** Those that match the search, live ones first. */
  keys: KeyRow[]
  /** How many keys the workspace has in all, whatever the search. */
  total: number
  search: string
  /** After a change: "Revoked “nightly report”." */
  notice: Notice | null
}

/** The same address, for a member: the page exists, and here is who to ask. */
export interface MemberModel {
  chrome: Chrome
  /** The owners' and admins' email addresses, owners first. */
  askWhom: { email: string; role: Role }[]
}

// Making

export const expiryChoices = ['30', '90', '365', 'never', 'custom'] as const
export type ExpiryChoice = (typeof expiryChoices)[number]

/** As the browser sent them: a form with a fault comes back with what was typed. The names are those of the fields. */
export interface MakeValues {
  label: string
  /** Field `permissions`, once per ticked box. */
  permissions: string[]
  /** Field `expiry`. */
  expiry: ExpiryChoice
  /** Field `expiryDate`: YYYY-MM-DD, counted when `expiry` is custom. */
  expiryDate: string
  /** Fields `rateLimit` (requests) and `rateWindow` (seconds); both empty: the workspace's own limit. */
  rateLimit: string
  rateWindow: string
}
export type MakeField = 'label' | 'permissions' | 'expiryDate' | 'rateLimit'

export const newKeyValues: MakeValues = {
  label: '',
  permissions: ['workspace:read', 'tasks:read'],
  expiry: '90',
  expiryDate: '',
  rateLimit: '',
  rateWindow: '60',
}

/** GET …/keys/new, and the answer (422) to a POST with faults. */
export interface MakeModel {
  chrome: Chrome
  permissions: { name: string; meaning: string }[]
  values: MakeValues
  errors: Partial<Record<MakeField, string>>
  /** What a key without its own limit gets. */
  defaultQuota: Quota
  /** Field `once`: lets the server know a form sent twice, so that a reload makes no second key. */
  once: string
}

/** The one page that ever holds a key. Sent with `Cache-Control: no-store`. */
export interface MadeModel {
  chrome: Chrome
  token: string
  key: { id: string; label: string; permissions: string[]; expiresAt: string | null }
  /** The origin under which clients reach the service, without a slash at the end: https://vitrine.example */
  serviceUrl: string
  /** Already there if the page is slow. */
  firstUse: FirstUse | null
  /** When it came of a rotation: the old key's label, and until when it works (null: not any more). */
  replaced: { label: string; worksUntil: string | null } | null
}

/** Also the JSON of `first-use`: {"firstUse": null} or {"firstUse": {"at": …, "from": …}}. */
export interface FirstUse {
  at: string
  /** The caller in words: its User-Agent's product, or its address. Null when it is not known. */
  from: string | null
}

/** What a reload of the made page gets instead of the key. */
export interface AlreadyShownModel {
  chrome: Chrome
  key: { id: string; label: string; prefix: string }
}

// Rotating and revoking

export const overlapChoices = ['0', '1h', '24h', '7d', '30d'] as const
export type OverlapChoice = (typeof overlapChoices)[number]

/** GET …/keys/<id>/rotate. POST sends `overlap` and `once`, and answers with the made page. */
export interface RotateModel {
  chrome: Chrome
  key: KeyRow
  overlap: OverlapChoice
  once: string
}

/** GET …/keys/<id>/revoke. POST answers 303 to the list with a notice. */
export interface RevokeModel {
  chrome: Chrome
  key: KeyRow
}

// Audit

export interface AuditEntry {
  at: string
  /** An email, `cli`, or for a refusal where it came from. */
  actor: string
  /** As stored: `key.created`, `key.refused.over_quota`, … */
  action: string
  /** The id of what it was done to. */
  subject: string
  /** Its label when it is a key of this workspace. */
  label: string | null
  detail: Record<string, unknown>
}

/** GET …/audit?key=&kind=&before= */
export interface AuditModel {
  chrome: Chrome
  /** Newest first. */
  entries: AuditEntry[]
  filter: { key: string | null; kind: AuditKind | null }
  /** For the filter's list. */
  keys: { id: string; label: string; prefix: string }[]
  /** The `before` of the next page; null on the last one. */
  older: string | null
}

// When it does not work

export interface ErrorModel {
  status: number
  title: string
  /** What happened, and what to do. */
  text: string
  /** Where to go on from here. */
  back: { href: string; text: string }
  /** Null when nobody is signed in. */
  chrome: Chrome | null
}
