import { type Html, html, named, type Part } from '../../lib/html.ts'
import { countryCodes, currencyCodes } from '../../resources/workspace/iso-codes.ts'
import type { WorkspaceRecord } from '../../resources/workspace/records.ts'
import { describe, errorSummary } from '../layout/field.ts'
import { type Chrome, csrfField } from '../layout/page.ts'
import { paths } from '../paths.ts'
import type { DetailField, DetailValues } from './update.ts'

export interface DetailsFormModel {
  chrome: Chrome
  record: WorkspaceRecord
  values: DetailValues
  version: string
  errors: Partial<Record<DetailField, string>>
  /** What somebody else saved while the form was open. */
  conflict: DetailValues | null
}

const titles: Record<DetailField, string> = {
  name: 'Name',
  timezone: 'Timezone',
  currency: 'Currency',
  country: 'Country',
}

export function detailsForm(model: DetailsFormModel): Html {
  const { chrome, record, values, version, errors, conflict } = model
  return html`${errorSummary(errors, 'The workspace was not changed.')}${conflict !== null && conflictNotice(model)}
<form class="form panel" method="post" action="${paths.workspace(chrome.workspace.slug)}" novalidate aria-labelledby="general">${csrfField(chrome)}<input type="hidden" name="version" value="${version}">
<h2 id="general">General</h2>
${field(model, 'name', null, (attributes) => html`<input id="name" name="name" type="text" value="${values.name}" required maxlength="200" dir="auto"${attributes}>`)}
<div class="field"><p class="term">Slug</p><p><code>${record.slug}</code></p><p class="hint">In the addresses of these pages and in commands. It cannot be changed.</p></div>
${field(model, 'timezone', TIMEZONE_HINT, (attributes) => html`<input id="timezone" name="timezone" type="text" value="${values.timezone}" list="timezones" placeholder="UTC" spellcheck="false"${attributes}><datalist id="timezones">${timezoneNames}</datalist>`)}
<div class="beside">${field(model, 'currency', null, (attributes) => select('currency', options(currencies, values.currency), attributes))}
${field(model, 'country', null, (attributes) => select('country', options(countries, values.country), attributes))}</div>
<p class="hint">Agents read all of this, so that they understand dates and amounts.</p>
<div class="buttons"><button class="button primary">Save changes</button></div></form>`
}

const TIMEZONE_HINT =
  'Such as Europe/London; empty for UTC. It decides the days and times that these pages show, the day under which a request is counted from now on, and what agents take for today. It does not change when keys end.'

function field({ errors }: DetailsFormModel, name: DetailField, hint: Part, control: (attributes: Html) => Html): Html {
  const { attributes, text } = describe(name, hint, errors[name])
  return html`<div class="field"><label for="${name}">${titles[name]}</label>
${control(attributes)}${text}</div>`
}

const select = (name: DetailField, choices: Html[], attributes: Html): Html =>
  html`<select id="${name}" name="${name}"${attributes}><option value="">None</option>${choices}</select>`

/** Both sides of each field that differs. */
function conflictNotice({ values, conflict }: DetailsFormModel): Html {
  const shown = (value: string) => (value === '' ? html`<em>none</em>` : named(value))
  const differing = (Object.keys(titles) as DetailField[]).filter((name) => conflict?.[name] !== values[name])
  return html`<div class="notice bad" role="alert"><p><strong>Somebody changed the workspace while this page was open. Nothing was saved.</strong></p>
<ul>${differing.map((name) => html`<li><a href="#${name}">${titles[name]}</a>: now ${shown(conflict?.[name] ?? '')}, yours ${shown(values[name])}</li>`)}</ul>
<p>The fields below have what you entered. Saving again replaces what is there now.</p></div>`
}

interface Choice {
  value: string
  text: string
}

const nameOf = (type: 'currency' | 'region') => {
  const names = new Intl.DisplayNames('en', { type })
  return (code: string) => names.of(code) ?? code
}

const currencyName = nameOf('currency')
const countryName = nameOf('region')

/** By code, which is what people type to find one. */
export const currencies: readonly Choice[] = [...currencyCodes].map((code) => ({
  value: code,
  text: `${code} ${currencyName(code)}`,
}))

export const countries: readonly Choice[] = [...countryCodes]
  .map((code) => ({ value: code, text: `${countryName(code)} (${code})` }))
  .sort((a, b) => a.text.localeCompare(b.text, 'en'))

export const options = (choices: readonly Choice[], chosen: string): Html[] =>
  choices.map(
    ({ value, text }) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )

/** Names to choose from: as the runtime spells them, without their many aliases, which can be typed all the same. */
export const timezoneNames: Html = html`${['UTC', ...Intl.supportedValuesOf('timeZone')].map((name) => html`<option>${name}</option>`)}`

export const currencyText = (code: string | null): string | null =>
  code === null ? null : `${currencyName(code)} (${code})`
export const countryText = (code: string | null): string | null =>
  code === null ? null : `${countryName(code)} (${code})`
