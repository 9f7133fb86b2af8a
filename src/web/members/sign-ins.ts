import { toName } from '../../lib/plain-text.ts'
import {
  addPasskey,
  creationOptions,
  MAX_PASSKEYS,
  type Passkey,
  passkeysOf,
  removePasskey,
} from '../../members/passkeys.ts'
import { currentMembership, endSignIn, type SignIn, signInsOf } from '../../members/sessions.ts'
import type { WorkspaceHandler } from '../context.ts'
import { redirectWithNotice } from '../flash.ts'
import { breakable, type Html, html, isolated, type Part } from '../html.ts'
import { csrfField } from '../layout/field.ts'
import { type PageFrame, page } from '../layout/page.ts'
import { type DataRow, dataTable } from '../layout/table.ts'
import { dateTime, momentTime, relativeTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { htmlResponse, PageError, pageNotFound, protectedJsonResponse, redirect } from '../responses.ts'

export const showSignIns: WorkspaceHandler = async (context) => {
  const { store, session, workspace, frame, request, config } = context
  const { signIns, passkeys } = await store.read(async (tx) => ({
    signIns: await signInsOf(tx, session, workspace.workspaceId),
    passkeys: config.passkeys === undefined ? [] : await passkeysOf(tx, session),
  }))
  const isOffer = request.query.get('offer') === 'passkey'
  if (isOffer && passkeys.length > 0) return redirect(paths.overview(workspace.slug))
  const isHttps = config.publicUrl.startsWith('https:')
  const needsHttps = !isHttps && html`<p class="hint bounds">Passkeys need a public https address.</p>`
  const part =
    config.passkeys === undefined
      ? needsHttps
      : passkeysPart({ frame, passkeys, isLimited: session.workspaceId !== null, isOffer })
  return htmlResponse(200, signInsPage(frame, signIns, part))
}

export const endOtherSession: WorkspaceHandler = async (context, form) => {
  const { store, session, workspace } = context
  const hasEnded = await store.transaction(async (tx) => {
    if ((await currentMembership(tx, session, workspace.workspaceId)) === undefined) throw pageNotFound()
    return endSignIn(tx, session, form.get('id') ?? '')
  })
  return redirectWithNotice(context, paths.signIns(workspace.slug), hasEnded ? 'session-ended' : 'session-not-ended')
}

const TITLE = 'Where you are signed in'

/** `passkeys` is false if the service does not offer them. */
export function signInsPage(frame: PageFrame, signIns: readonly SignIn[], passkeys: Part) {
  const lead =
    'The browsers in which you are signed in to this workspace. If you do not recognise one, sign it out and tell an owner.'
  const table = dataTable({
    caption: 'Your sessions, newest first',
    columns: ['Where', 'Since', 'Last used'],
    rows: signIns.map((signIn) => signInRow(signIn, frame)),
  })
  return page(frame, { title: TITLE, lead, body: [passkeys, html`<div class="panel">${table}</div>`] })
}

function signInRow({ id, startedAt, seenAt, device, linkBy, isCurrent, mayEnd }: SignIn, frame: PageFrame): DataRow {
  const used = isCurrent
    ? html`<span class="tag">This browser</span>`
    : html`${relativeTime(seenAt, frame)}${!mayEnd && html`<span class="sub">It reaches more workspaces than this session, so only a session that reaches them can sign it out.</span>`}`
  const end =
    mayEnd &&
    !isCurrent &&
    html`<form method="post" action="${paths.signIns(frame.workspace.slug)}">${csrfField(frame)}<input type="hidden" name="id" value="${id}"><button class="quiet danger">Sign out<span class="visually-hidden"> the session of ${momentTime(startedAt, frame)}</span></button></form>`
  const where = device ?? html`<span class="faint">Not recorded</span>`
  return {
    head: html`${where}${linkBy !== null && html`<span class="sub">${linkText(linkBy)}</span>`}`,
    cells: [momentTime(startedAt, frame), used],
    actions: end || '',
  }
}

function linkText(linkBy: string): Html {
  const [creator = '', ...others] = linkBy.split(' ')
  return html`By a link created by ${breakable(creator)}${others.map((other) => html`, who signed in with a link from ${breakable(other)}`)}`
}

const MAX_NAME = 60

const REFUSED = 'It took too long, or the response of this browser was not valid. Try again.'
const TOO_MANY = `You have ${MAX_PASSKEYS} passkeys. Remove one that you no longer use, then add another.`

/** The script first asks for options, and then sends the credential. */
export const enrolPasskey: WorkspaceHandler = async (context, form) => {
  const { config, session, request, requestLimits, mail } = context
  const { slug } = context.workspace
  if (config.passkeys === undefined) throw pageNotFound()
  const passkeyContext = { ...context, party: config.passkeys }
  const credential = form.get('credential')
  if (credential === null) {
    requestLimits.count('passkey', request.caller.address)
    return protectedJsonResponse(200, { options: await creationOptions(passkeyContext, session) })
  }
  const name = toName(form.get('name') ?? '', MAX_NAME) || 'Passkey'
  const added = await addPasskey(passkeyContext, session, { name, credential })
  const back = { href: paths.signIns(slug), text: 'Go back' }
  if (added !== 'added')
    throw new PageError(409, 'The passkey was not added', added === undefined ? REFUSED : TOO_MANY, [], back)
  // With a passkey, a session's thief could stay permanently. They chose its name, so the mail leaves it out.
  const text = `A passkey was added, which signs in as ${session.email}. If it was not you, remove it, and sign out the other sessions:

${config.publicUrl}${paths.signIns(slug)}
`
  mail?.({ to: session.email, subject: 'A passkey was added', text }).catch((error) => request.logFailure(error))
  return redirectWithNotice(context, paths.signIns(slug), 'passkey-added', { about: name })
}

export const deletePasskey: WorkspaceHandler = async (context, form) => {
  const { store, session, workspace } = context
  const about = await store.transaction((tx) => removePasskey(tx, session, form.get('id') ?? ''))
  const page = paths.signIns(workspace.slug)
  return about === undefined ? redirect(page) : redirectWithNotice(context, page, 'passkey-removed', { about })
}

interface PasskeysModel {
  frame: PageFrame
  passkeys: readonly Pick<Passkey, 'id' | 'name' | 'createdAt' | 'usedAt'>[]
  /** The session, and with it each passkey that it may manage, reaches only this workspace. */
  isLimited: boolean
  /** The person has just signed in by link. */
  isOffer: boolean
}

export function passkeysPart({ frame, passkeys, isLimited, isOffer }: PasskeysModel): Html {
  const lead = isOffer
    ? 'You are signed in. Add a passkey now, and next time you need no link: this device confirms that it is you.'
    : 'With a passkey you sign in without a link: your device confirms that it is you.'
  return html`<section class="panel part" aria-labelledby="passkeys"><h2 id="passkeys">Passkeys</h2>
<p>${lead}</p>${isLimited && limited}${list(frame, passkeys)}${addForm(frame, passkeys.length)}
${isOffer && html`<p class="buttons"><a class="button" href="${paths.overview(frame.workspace.slug)}">Not now</a></p>`}</section>`
}

const limited = html`<p>You signed in with a link from another member, or with a passkey that was added after one. A passkey that you add now opens this workspace only, like that link.</p>`

const list = (frame: PageFrame, passkeys: PasskeysModel['passkeys']): Part =>
  passkeys.length > 0 &&
  dataTable({
    caption: 'Your passkeys',
    columns: ['Name', 'Added', 'Last used'],
    rows: passkeys.map(({ id, name, createdAt, usedAt }) => ({
      head: isolated(name),
      cells: [dateTime(createdAt, frame), usedAt === null ? 'Never' : relativeTime(usedAt, frame)],
      actions: html`<form method="post" action="${paths.removePasskey(frame.workspace.slug)}">${csrfField(frame)}<input type="hidden" name="id" value="${id}"><button class="quiet danger">Remove<span class="visually-hidden"> ${name}</span></button></form>`,
    })),
  })

/** Hidden until the script has found that the browser can do it. */
const addForm = (frame: PageFrame, count: number): Html =>
  count >= MAX_PASSKEYS
    ? html`<p>${TOO_MANY}</p>`
    : html`<form class="form" data-passkey="create" action="${paths.passkeys(frame.workspace.slug)}" hidden>${csrfField(frame)}
<div class="field"><label for="passkey-name">Name of the passkey</label>
<input id="passkey-name" name="name" required maxlength="${MAX_NAME}" autocomplete="off" aria-describedby="passkey-name-hint"><p class="hint" id="passkey-name-hint">Such as “work laptop”. You can add one for each device.</p></div>
<div class="buttons"><button class="button primary">Add a passkey</button></div><p class="error" role="alert"></p></form>
<p class="notice neutral" data-no-passkey>This browser cannot add a passkey: it needs JavaScript and support for passkeys.</p>`
