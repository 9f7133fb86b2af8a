import type { Destination } from '../../connections/redirect-uri.ts'
import type { Membership, Role } from '../../members/records.ts'
import { breakable, type Html, html, inQuotes, isolated, type Part } from '../html.ts'
import * as keyForm from '../keys/key-form.ts'
import { permissionsField } from '../keys/permissions.ts'
import { type SummaryModel, summaryPart } from '../keys/summary.ts'
import { csrfField, describe, errorSummary, onceField } from '../layout/field.ts'
import { card, DRAFT, factsList, noticeBox, noticeLine, peopleToAsk } from '../layout/page.ts'

/** `host` gets the code, and with it the token. */
interface Program extends Destination {
  name: string
  documentHost: string | null
  /** The operator has listed the hosts that may connect, and this is one of them. */
  isListed: boolean
}

interface ConsentForm {
  program: Program
  email: string
  csrf: string
  /** Includes the client's request as its query. */
  action: string
}

export interface ConsentModel extends ConsentForm, keyForm.KeyFormModel, SummaryModel {
  workspaces: Pick<Membership, 'slug' | 'name' | 'timezone'>[]
  /** The slug of the chosen one; empty if none is. */
  workspace: string
  errors: keyForm.KeyFormModel['errors'] & { workspace?: string }
  once: string
  hasDraft: boolean
}

export function consentPage(model: ConsentModel): string {
  const { program, permissions, values, errors, once, hasDraft } = model
  const lone = model.workspaces.length === 1 ? model.workspaces[0] : undefined
  const zones = new Set(model.workspaces.map(({ timezone }) => timezone ?? 'UTC'))
  return consentCard([
    html`<h1>Connect a program to Vitrine?</h1>
<p>It will read the workspace on its own, even when you are away. Check where access goes before you connect it.</p>`,
    hasDraft && noticeBox(DRAFT),
    errorSummary(errors, 'Nothing was connected.'),
    programFacts(model, lone),
    warning(program),
    html`<form class="form" method="post" action="${model.action}" novalidate>${csrfField(model)}${onceField(once)}
${lone === undefined ? workspaceField(model) : html`<input type="hidden" name="workspace" value="${lone.slug}">`}
${permissionsField(permissions, values.permissions, errors.permissions)}
${keyForm.expiryField(model, keyForm.newKeyPeriods, `A date is the last day of access, in the workspace’s timezone${zones.size > 1 ? '' : `, ${[...zones][0]}`}.`)}
${keyForm.rateField(model)}
${keyForm.onlyField(model)}
${summaryPart(model)}
<div class="buttons"><button class="button primary" name="decision" value="connect" data-pending="Connecting…" data-deliberate title="Enabled a moment after the page is shown, so that no click goes astray">Connect</button><button class="button" name="decision" value="refuse" data-pending="Refusing…">Refuse</button></div>
<p class="hint">It can only read. Owners and admins see it among the API keys, and can disconnect it at any time.</p></form>`,
  ])
}

const consentCard = (body: Part): string => card('Connect a program', body, 'roomy')

const programFacts = ({ program, email }: ConsentForm, workspace?: { name: string }): Html =>
  factsList([
    ['It calls itself', html`${inQuotes(program.name)}<span class="sub">${origin(program)}</span>`],
    [
      'Access goes to',
      html`<strong>${breakable(program.host)}</strong><span class="sub">${places[program.kind]}</span>`,
    ],
    workspace !== undefined && ['Workspace', isolated(workspace.name)],
    ['You are', breakable(email)],
  ])

const origin = ({ documentHost }: Program): Part =>
  documentHost === null
    ? 'Unchecked: it registered itself, and can use any name.'
    : html`${isolated(documentHost)} says so, and lists the address below.`

const places: Record<Destination['kind'], string> = {
  web: 'A website.',
  loopback: 'A program on this computer.',
  app: 'The app that opens such links on this device.',
}

/**
 * Anyone can describe a program on a website of their own, so only the operator's list makes a website known. Anyone can also start
 * a known program's request and send the link to someone else.
 */
function warning({ kind, isListed, host }: Program): Part {
  const text =
    kind !== 'web'
      ? 'Any program on this device can ask like this, under any name. Connect only if you have just started this yourself, in a program that you trust.'
      : isListed
        ? 'Connect only if you have just started this yourself.'
        : html`Vitrine does not know this program. Connect only if you have just started this yourself, and trust <strong>${breakable(host)}</strong> with what you allow below.`
  return noticeLine(kind === 'web' && isListed ? 'neutral' : 'warn', text, 'note')
}

function workspaceField({ workspaces, workspace, errors }: ConsentModel): Html {
  const hint = 'You can connect programs where you are an owner or admin.'
  const { attributes, text } = describe('workspace', hint, errors.workspace)
  return html`<div class="field"><label for="workspace">Workspace</label>
<select id="workspace" name="workspace" required${attributes}><option value="">Choose…</option>${workspaces.map(
    ({ slug, name }) =>
      html`<option value="${slug}" dir="auto"${slug === workspace && html` selected`}>${name} (${slug})</option>`,
  )}</select>${text}</div>`
}

type ManagedWorkspace = { name: string; managers: { email: string; role: Role }[] }

export function cannotConnectPage({ workspaces, ...model }: ConsentForm & { workspaces: ManagedWorkspace[] }): string {
  return consentCard([
    html`<h1>You cannot connect programs</h1>`,
    programFacts(model),
    workspaces.length === 0
      ? html`<p>Your workspaces are archived. An owner can restore them on the workspace page.</p>`
      : workspaces.map(
          ({ name, managers }) => html`<p>Only owners and admins of ${isolated(name)} can. Ask them to connect it:</p>
${peopleToAsk(managers)}`,
        ),
    html`<form method="post" action="${model.action}">${csrfField(model)}<p class="buttons"><button class="button" name="decision" value="refuse" data-pending="Returning…">Return to the program</button></p></form>`,
  ])
}
