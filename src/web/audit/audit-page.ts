import type { ChainState } from '../../audit/chain-watch.ts'
import { kindText } from '../../audit/wording.ts'
import type { KeyName } from '../../keys/records.ts'
import { MINUTE_MS } from '../../lib/duration.ts'
import { formatCount } from '../../lib/format-count.ts'
import { isoOf } from '../../lib/instant.ts'
import type { LocalTime } from '../../lib/local-dates.ts'
import { sentence } from '../../lib/plain-text.ts'
import { type Html, html, type Part } from '../html.ts'
import { icon } from '../layout/icon.ts'
import {
  exportLinks,
  filterField,
  filterSelect,
  isFiltered,
  isValid,
  type LogModel,
  logParts,
  textInput,
} from '../layout/log.ts'
import { page } from '../layout/page.ts'
import { momentTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { type AuditField, type ChosenKey, keyText } from './filter.ts'
import { type AuditEntry, groupTable } from './table.ts'

export interface AuditModel extends LogModel<AuditField> {
  groups: AuditEntry[][]
  key: Pick<ChosenKey, 'text' | 'matches'>
  /** Suggestions, newest first. */
  keys: KeyName[]
  people: string[]
  chain: ChainState
}

export function auditPage(model: AuditModel): string {
  const { frame, fields, groups } = model
  const { slug } = frame.workspace
  const body = [
    chainState(model.chain, frame),
    logParts(model, {
      what: 'entries',
      hrefOf: (before) => paths.audit(slug, { ...fields, before }),
      all: paths.audit(slug),
      searchPlaceholder: 'Labels, actions, details',
      filters: filterFields(model),
      belowFilter: keyMatches(model),
      table: groups.length === 0 ? null : groupTable(groups, frame),
      nothing: nothing(model),
    }),
  ]
  return page(frame, {
    title: 'Audit log',
    lead: 'Who did what to which key, and which requests were refused. Newest first.',
    actions: isValid(model) && exportLinks((format) => paths.audit(slug, fields, format)),
    body,
  })
}

function filterFields({ fields, errors, key, keys, people }: AuditModel): Html {
  const field = (id: AuditField, title: string, attributes: Html) =>
    filterField({ fields: { ...fields, key: key.text }, errors }, id, title, attributes)
  const suggestions = (id: string, texts: readonly string[]) =>
    html`<datalist id="${id}">${texts.map((text) => html`<option>${text}</option>`)}</datalist>`
  return html`${field('who', 'Who', html`${textInput} list="people"`)}${suggestions('people', people)}
${filterSelect('kind', 'Kind', { '': 'All kinds', ...kindText }, fields.kind)}
${field('key', 'Key', html`${textInput} list="keys" placeholder="Label, prefix or id"`)}${suggestions('keys', keys.map(keyText))}
${field('from', 'From', html` type="date"`)}
${field('to', 'To', html` type="date"`)}`
}

const keyMatches = ({ frame, fields, key }: AuditModel): Part =>
  key.matches.length > 0 &&
  html`<ul class="panel choose" aria-label="Keys that match">${key.matches.map((match) => html`<li><a href="${paths.audit(frame.workspace.slug, { ...fields, key: match.id })}">${keyText(match)}</a></li>`)}</ul>`

const nothing = (model: AuditModel): Html =>
  isFiltered(model)
    ? html`<h2>No entries match</h2><p>Try fewer words, another kind or different days.</p>`
    : html`<h2>No entries yet</h2><p>Every change to a key and every refusal is recorded here.</p>`

/** The text claims no more than was verified. */
export function chainState({ verifiedTo, end, since, prune, fault }: ChainState, time: LocalTime): Part {
  if (fault !== null) {
    const fits = Math.min(verifiedTo, fault.number - 1)
    return html`<div class="notice bad" role="alert"><p><strong>This log was tampered with or is damaged: entry ${formatCount(fault.number)} is broken.</strong> ${sentence(fault.message)}${fits > 0 && html` The entries up to ${formatCount(fits)} are intact.`} Ask the operator of this service to run <code>vitrine audit verify</code>.</p></div>`
  }
  if (end === 0) return false
  const now = html`today ${timeOfDay(time)}`
  if (verifiedTo < end)
    return line(
      html`Verified up to entry ${formatCount(verifiedTo)} of ${formatCount(end)}, ${now}. Each visit to this page verifies more; <code>vitrine audit verify</code> verifies everything at once.`,
    )
  const intact =
    prune === undefined
      ? 'no entry was changed or removed.'
      : html`no entry was changed. Older entries, up to ${formatCount(prune.through)}, were pruned, most recently on ${momentTime(prune.at, time)}.`
  return line(
    html`Verified up to entry ${formatCount(verifiedTo)}, ${now}: ${intact}${time.nowMs - since >= MINUTE_MS && html` The first entries were verified on ${momentTime(isoOf(since), time)}.`}`,
  )
}

const line = (text: Html): Html =>
  html`<p class="chain hint">${icon('check')}<span>${text} Refusals are counted separately and are not part of the chain.</span></p>`

const timeOfDay = ({ nowMs, timezone }: LocalTime): string =>
  new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: timezone }).format(nowMs)
