import { type Html, html } from '../../lib/html.ts'
import { countryCodes, currencyCodes } from '../../resources/workspace/iso-codes.ts'

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
