import { LABEL_MAX, labelError, type NewKey, unreadLimit } from '../../keys/life-cycle.ts'
import { networksFault, parseNetworks } from '../../keys/networks.ts'
import { checkOnly } from '../../keys/only.ts'
import { parseQuota } from '../../keys/quota.ts'
import { DAY_MS } from '../../lib/duration.ts'
import { isoOf } from '../../lib/instant.ts'
import { endOfDate, type LocalTime, localDate, zoneNamed } from '../../lib/local-dates.ts'
import type { Quota } from '../../lib/rate-windows.ts'
import { redactName, redactTokens } from '../../lib/redact.ts'
import { listsOf } from '../../lists/definition.ts'
import { permissionsOf, publishedOf, type Resource } from '../../resources/define.ts'
import { type Html, html, isolated, type Part } from '../html.ts'
import { describe, maxCharacters, type RadioChoice, radios } from '../layout/field.ts'
import { quotaText } from './key-parts.ts'
import type { PermissionWords } from './permissions.ts'
import { eachTyped, type RowValues } from './row-values.ts'

/** About a hundred years. */
const MAX_LIFETIME_MS = 36_600 * DAY_MS

const expiryChoices = ['30', '90', '365', 'never', 'custom'] as const

export interface KeyValues {
  label: string
  permissions: string[]
  /** Days from now, or a date. */
  expiry: (typeof expiryChoices)[number]
  /** YYYY-MM-DD, if `expiry` is custom. */
  expiryDate: string
  /** Requests; empty for the default limit. */
  rateLimit: string
  /** Seconds. */
  rateWindow: string
  /** In CIDR notation, separated by commas; empty for everywhere. */
  networks: string
  /** As it is typed; empty for all rows. */
  only: string
}

export const newKeyDefaults = {
  label: '',
  expiry: '90',
  expiryDate: '',
  rateLimit: '',
  rateWindow: '60',
  networks: '',
  only: '',
} as const

type KeyErrors = Partial<Record<'label' | 'permissions' | 'expiryDate' | 'rateLimit' | 'networks' | 'only', string>>

/** A draft may lack fields, which are then empty. */
export function valuesIn(form: URLSearchParams): KeyValues {
  const text = (name: keyof KeyValues) => (form.get(name) ?? '').trim()
  return {
    label: text('label'),
    permissions: form.getAll('permissions'),
    expiry: expiryChoices.find((choice) => choice === form.get('expiry')) ?? 'custom',
    expiryDate: text('expiryDate'),
    rateLimit: text('rateLimit'),
    rateWindow: text('rateWindow'),
    networks: text('networks'),
    // What was ticked joins what was typed.
    only: [text('only'), ...form.getAll('onlyValue')].filter(Boolean).join('; '),
  }
}

/** The page shows the values again, and someone may have typed a key. */
export function redacted(values: KeyValues): KeyValues {
  const typed = ['expiryDate', 'rateLimit', 'rateWindow', 'networks', 'only'] as const
  const others = Object.fromEntries(typed.map((name) => [name, redactTokens(values[name])]))
  return { ...values, ...others, label: redactName(values.label) }
}

const NO_PERMISSION = 'Choose at least one: without any, there is nothing to read.'

/**
 * A value with an error is undefined. A null quota is the default, null networks are everywhere, and a null limit is all rows.
 * Permissions that were not offered are ignored.
 */
export function checkValues(values: KeyValues, time: LocalTime, offered: readonly Resource[]) {
  const { label, rateLimit, rateWindow } = values
  const permissions = permissionsOf(offered).filter((permission) => values.permissions.includes(permission))
  const limit = checkOnly(values.only === '' ? null : [values.only], listsOf(publishedOf(offered)))
  const only = 'only' in limit ? limit.only : undefined
  const onlyFault = 'only' in limit ? unreadLimit({ permissions, only: limit.only }) : limit.problem
  const networks = parseNetworks(values.networks)
  const { expiresAt, error: expiryError } = checkExpiry(values, time)
  const quota = rateLimit === '' ? null : parseQuota(`${rateLimit};w=${rateWindow}`)
  const fault = labelError(label)
  const errors: KeyErrors = {
    ...(fault !== undefined && { label: `The label ${fault}.` }),
    ...(label === '' && { label: 'Give the key a name, such as the script or agent that uses it.' }),
    ...(permissions.length === 0 && { permissions: NO_PERMISSION }),
    ...(expiryError !== undefined && { expiryDate: expiryError }),
    ...(quota === undefined && {
      rateLimit: 'Use whole numbers: at least 1 request, in 1 to 86400 seconds. Or leave the requests empty.',
    }),
    ...(onlyFault !== undefined && { only: `Rows: ${redactTokens(onlyFault)}.` }),
    ...(networks === undefined && { networks: redactTokens(networksFault(values.networks)) }),
  }
  return { errors, label, permissions, expiresAt, quota, networks, only }
}

/** `newKey` is undefined if there are errors; without errors, all its values are defined. */
export function checkNewKey(typed: KeyValues, time: LocalTime, offered: readonly Resource[]) {
  const { errors, ...checked } = checkValues(typed, time, offered)
  const newKey = Object.keys(errors).length === 0 ? (checked as NewKey) : undefined
  return { values: redacted(typed), errors, newKey }
}

/** A date includes its whole day. The error is about a date that does not exist, is in the past or is too far away. */
function checkExpiry({ expiry, expiryDate }: KeyValues, { nowMs, timezone }: LocalTime) {
  if (expiry === 'never') return { expiresAt: null }
  const endMs =
    expiry === 'custom' ? (endOfDate(zoneNamed(timezone), expiryDate) ?? 0) : nowMs + Number(expiry) * DAY_MS
  if (endMs <= nowMs) return { error: 'Choose today or a later date.' }
  if (endMs >= nowMs + MAX_LIFETIME_MS) return { error: 'Choose a date within the next 100 years, or “Never”.' }
  return { expiresAt: isoOf(endMs) }
}

export interface KeyFormModel {
  frame: LocalTime
  /** As typed: a form with errors comes back filled in. */
  values: KeyValues
  errors: KeyErrors
  permissions: readonly PermissionWords[]
  defaultQuota: Quota
  /** Values that a key can be limited to, which can be ticked. */
  rowValues?: readonly RowValues[]
}

export function labelField({ values, errors }: KeyFormModel, more: Part = null): Html {
  const { attributes, text } = describe('label', 'Name it after what uses it, such as “nightly report”.', errors.label)
  return html`<div class="field"><label for="label">Label</label>
<input id="label" name="label" type="text" value="${values.label}" required${maxCharacters(LABEL_MAX)} dir="auto"${more}${attributes}>${text}</div>`
}

export const newKeyPeriods = [
  { value: '30', text: '30 days' },
  { value: '90', text: '90 days' },
  { value: '365', text: '1 year' },
]

/** `periods` are offered in addition to "never" and a date. */
export function expiryField(
  { values, errors, frame }: Pick<KeyFormModel, 'values' | 'errors' | 'frame'>,
  periods: readonly RadioChoice[],
  hint: Part = html`A date is the last day on which the key works, in the workspace’s timezone, ${isolated(frame.timezone)}.`,
): Html {
  const { attributes, text } = describe('expiryDate', hint, errors.expiryDate)
  const date = html`<span class="custom"><label class="visually-hidden" for="expiryDate">Last day</label><input id="expiryDate" name="expiryDate" type="date" min="${localDate(zoneNamed(frame.timezone), frame.nowMs)}" value="${values.expiryDate}"${attributes}></span>`
  const choices = [...periods, { value: 'never', text: 'Never' }, { value: 'custom', text: 'On a date', more: date }]
  return html`<fieldset class="field"><legend>Expires</legend>${radios('expiry', choices, values.expiry)}${text}</fieldset>`
}

export function rateField({ values, errors, defaultQuota }: KeyFormModel): Html {
  const hint = `Leave empty for the default of ${quotaText(defaultQuota)}.`
  const { attributes, text } = describe('rateLimit', hint, errors.rateLimit)
  return html`<fieldset class="field"><legend>Custom rate limit <span class="optional">optional</span></legend>
<p class="inline"><label class="visually-hidden" for="rateLimit">Requests</label><input id="rateLimit" name="rateLimit" type="text" inputmode="numeric" size="7" maxlength="9" value="${values.rateLimit}" placeholder="${defaultQuota.limit}"${attributes}>
<span>requests in</span> <label class="visually-hidden" for="rateWindow">Seconds</label><input id="rateWindow" name="rateWindow" type="text" inputmode="numeric" size="5" maxlength="6" value="${values.rateWindow}"> <span>seconds</span></p>${text}</fieldset>`
}

export function networksField({ values, errors }: KeyFormModel): Html {
  const hint = html`Addresses or networks that may use the key, separated by commas, such as <code>203.0.113.0/24, 2001:db8::/32</code>. Leave empty for everywhere.`
  const { attributes, text } = describe('networks', hint, errors.networks)
  return html`<div class="field"><label for="networks">Networks <span class="optional">optional</span></label>
<input id="networks" name="networks" type="text" value="${values.networks}" autocomplete="off" autocapitalize="none" spellcheck="false"${attributes}>${text}</div>`
}

/** Values that are offered are ticked; others are typed. */
export function onlyField({ values, errors, rowValues = [] }: KeyFormModel): Html {
  const hint = html`Such as <code>tasks.bookKey=home-textiles,garden</code>; a semicolon separates lists.`
  const { attributes, text } = describe('only', hint, errors.only)
  const boxes = rowValues.flatMap((group) => group.values.map(({ typed }) => typed))
  const chosen = eachTyped(values.only)
  const others = chosen.filter((each) => !boxes.includes(each))
  const isOpen = values.only !== '' || errors.only !== undefined
  const offered = rowValues.map(
    ({ what, values: offeredValues }) =>
      html`<fieldset class="options"><legend>${what}</legend><div class="choices">${offeredValues.map(({ shown, typed }) => html`<label class="check"><input type="checkbox" name="onlyValue" value="${typed}"${chosen.includes(typed) && html` checked`}><span dir="auto">${shown}</span></label>`)}</div></fieldset>`,
  )
  return html`<fieldset class="field"><legend>Rows <span class="optional">optional</span></legend>
<p class="hint">All rows, unless you choose some.</p>
<details${isOpen && html` open`}><summary>Choose rows</summary>${offered.length > 1 && html`<p class="hint">Limit each list by one of these.</p>`}${offered}
<label for="only">${offered.length > 0 ? 'Rows by other values' : 'Rows'}</label><input id="only" name="only" type="text" value="${others.length < chosen.length ? others.join('; ') : values.only}" autocomplete="off" autocapitalize="none" spellcheck="false"${attributes}>${text}</details></fieldset>`
}
