import type { Transaction } from '../../database/store.ts'
import { clip, sentence } from '../../lib/plain-text.ts'
import { redactName, redactTokens } from '../../lib/redact.ts'
import { InvalidValueError } from '../../lib/user-error.ts'
import { countryCodes, currencyCodes } from '../../workspaces/iso-codes.ts'
import type { WorkspaceRecord } from '../../workspaces/records.ts'
import { checkedUpdate, checkTimezoneIn, NAME_MAX, type WorkspaceUpdate } from '../../workspaces/workspaces.ts'
import { type Html, html, isolated, type Part } from '../html.ts'
import { conflictNotice, versionField } from '../layout/conflict.ts'
import { csrfField, describe, errorSummary, maxCharacters, options } from '../layout/field.ts'
import type { PageFrame } from '../layout/page.ts'
import { paths } from '../paths.ts'

export interface DetailsFormModel {
  frame: PageFrame
  record: WorkspaceRecord
  values: DetailValues
  errors: DetailErrors
  /** Someone else saved while the form was open. */
  isConflict: boolean
}

const titles = { name: 'Name', timezone: 'Timezone', currency: 'Currency', country: 'Country' }
type DetailField = keyof typeof titles
const detailFields = Object.keys(titles) as DetailField[]

export function detailsForm(model: DetailsFormModel): Html {
  const { frame, record, values, errors, isConflict } = model
  const field = (name: DetailField, hint: Part, control: (attributes: Html) => Html) => {
    const { attributes, text } = describe(name, hint, errors[name])
    return html`<div class="field"><label for="${name}">${titles[name]}</label>
${control(attributes)}${text}</div>`
  }
  const select = (name: DetailField, texts: Record<string, string>) => {
    const choices = options({ '': 'None', ...texts }, values[name])
    return field(name, null, (attributes) => html`<select id="${name}" name="${name}"${attributes}>${choices}</select>`)
  }
  return html`${errorSummary(errors, 'The workspace was not changed.')}${isConflict && conflictNotice('the workspace', differences(model))}
<form class="form panel" method="post" action="${paths.workspace(frame.workspace.slug)}" novalidate aria-labelledby="general">${csrfField(frame)}${versionField(valuesOf(record))}
<h2 id="general">General</h2>
${field('name', null, (attributes) => html`<input id="name" name="name" type="text" value="${values.name}" required${maxCharacters(NAME_MAX)} dir="auto"${attributes}>`)}
<div class="field"><p class="term">Slug</p><p><code>${record.slug}</code></p><p class="hint">Used in the URLs of these pages and in commands. It cannot be changed.</p></div>
${field('timezone', TIMEZONE_HINT, (attributes) => html`<input id="timezone" name="timezone" type="text" value="${values.timezone}" list="timezones" placeholder="UTC" spellcheck="false"${attributes}><datalist id="timezones">${timezoneNames}</datalist>`)}
<div class="beside">${select('currency', currencies)}
${select('country', countries)}</div>
<p class="hint">Agents read all of this, so that they understand dates and amounts.</p>
<div class="buttons"><button class="button primary">Save changes</button></div></form>`
}

const TIMEZONE_HINT =
  'Such as Europe/London; empty for UTC. It determines the days and times on these pages, the day on which a request is counted from now on, and what agents consider today. It does not change when keys expire.'

function differences({ values, record }: DetailsFormModel): Part[] {
  const now = valuesOf(record)
  return detailFields
    .filter((name) => now[name] !== values[name])
    .map((name) => html`<a href="#${name}">${titles[name]}</a>: now ${now[name] === '' ? 'none' : isolated(now[name])}`)
}

const currencyNames = new Intl.DisplayNames('en', { type: 'currency' })
const countryNames = new Intl.DisplayNames('en', { type: 'region' })

/** Sorted by code, which people type to find one. */
const currencies = Object.fromEntries([...currencyCodes].map((code) => [code, `${code} ${currencyNames.of(code)}`]))

const countries = Object.fromEntries(
  [...countryCodes]
    .map((code) => [code, `${countryNames.of(code)} (${code})`] as const)
    .sort(([, a], [, b]) => a.localeCompare(b, 'en')),
)

/** The list lacks the many aliases, which can still be typed. */
const timezoneNames: Html = html`${['UTC', ...Intl.supportedValuesOf('timeZone')].map((name) => html`<option>${name}</option>`)}`

export const currencyText = (code: string | null): string | null => code && `${currencyNames.of(code)} (${code})`
export const countryText = (code: string | null): string | null => code && `${countryNames.of(code)} (${code})`

type DetailValues = Record<DetailField, string>
type DetailErrors = Partial<Record<DetailField, string>>

export const valuesOf = (workspace: WorkspaceRecord): DetailValues => ({
  name: workspace.name,
  timezone: workspace.timezone ?? '',
  currency: workspace.currencyCode ?? '',
  country: workspace.countryCode ?? '',
})

/** Enough to recognise a value, but not all of a long text or a key that someone pasted by mistake. */
const MAX_ECHOED = 300
const echoed = (text: string, redact = redactTokens) => clip(redact(text), MAX_ECHOED)

/** What the form contains, checked as it would be saved now. */
export async function readDetails(tx: Transaction, form: URLSearchParams, { timezone }: WorkspaceRecord) {
  const values: Partial<DetailValues> = {}
  const update: WorkspaceUpdate = {}
  const errors: DetailErrors = {}
  for (const field of detailFields) {
    const sent = (form.get(field) ?? '').trim()
    const change: WorkspaceUpdate = { [field]: field === 'name' ? sent : sent || null }
    Object.assign(update, change)
    values[field] = echoed(sent, field === 'name' ? redactName : redactTokens)
    try {
      checkedUpdate(change)
      if (change.timezone && change.timezone !== timezone) await checkTimezoneIn(tx, change.timezone)
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error
      errors[field] = sentence(echoed(error.message))
    }
  }
  return { values: values as DetailValues, update, errors }
}
