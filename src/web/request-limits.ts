import { counted } from '../lib/format-count.ts'
import { networkOf } from '../lib/network.ts'
import { RateWindows } from '../lib/rate-windows.ts'
import { PageError } from './responses.ts'

const SIGN_IN = { limit: 30, windowSeconds: 600 }
/** A hosted client may refresh the tokens of many people from one network. */
const OF_A_CLIENT = { limit: 120, windowSeconds: 60 }

const limits = {
  link: SIGN_IN,
  oidc: SIGN_IN,
  'oidc-callback': SIGN_IN,
  mail: SIGN_IN,
  passkey: SIGN_IN,
  'passkey-response': SIGN_IN,
  /** A link is valid for as long, so the last one works until the next can be sent: strangers who request mail cannot lock anyone out. */
  'mail to a person': { limit: 5, windowSeconds: 900 },
  /** Counted separately: no workspace can use up the links that a person asks for. */
  'invitation to a person': { limit: 5, windowSeconds: 900 },
  /** No workspace can use up the others' mail. */
  'mail to members': { limit: 300, windowSeconds: 900 },
  'mail to sign in': { limit: 5000, windowSeconds: 900 },
  'mail from a workspace': { limit: 60, windowSeconds: 3600 },
  /** Limits how fast a person can fill the audit log. */
  'form of a person': { limit: 100, windowSeconds: 300 },
  registration: { limit: 30, windowSeconds: 600 },
  /** Mail providers send such requests for many people. */
  unsubscription: OF_A_CLIENT,
  code: OF_A_CLIENT,
  revocation: OF_A_CLIENT,
  connection: OF_A_CLIENT,
}

type LimitedAction = keyof typeof limits

export type RequestLimits = ReturnType<typeof createRequestLimits>

/** Limits requests by network, forms by person, and mails by recipient and sender. */
export function createRequestLimits(clock: () => number) {
  const windows = new RateWindows()

  /** Counts the request. Returns 0 if it is within the limit. */
  const secondsToWait = (action: LimitedAction, address: string | undefined): number =>
    wait(action, networkOf(address ?? ''))

  function check(action: LimitedAction, id: string): void {
    const seconds = wait(action, id)
    if (seconds === 0) return
    const text = `Wait ${counted(Math.ceil(seconds / 60), 'minute')}, then try again.`
    throw new PageError(429, 'Too many attempts', text, ['Retry-After', String(seconds)])
  }

  function wait(action: LimitedAction, id: string): number {
    const now = clock()
    const { used, resetsAt } = windows.count(`${action} ${id}`, limits[action], now)
    return used <= limits[action].limit ? 0 : Math.max(1, Math.ceil((resetsAt - now) / 1000))
  }

  return {
    secondsToWait,
    secondsToWaitFor: wait,
    /** On a page that signs in, only for its own forms: another site could use up its visitors' attempts. */
    count: (action: LimitedAction, address: string | undefined): void => check(action, networkOf(address ?? '')),
    countOf: check,
    /** Counts the invitation. */
    mayInvite: (to: string, workspaceId: string): boolean =>
      wait('invitation to a person', to) === 0 && wait('mail from a workspace', workspaceId) === 0,
    /** Counts the mail in one of the person's workspaces, so that a workspace that invited them cannot block it. */
    mayMailLink: (to: string, workspaceIds: readonly string[]): boolean =>
      wait('mail to a person', to) === 0 &&
      workspaceIds.some((id) => wait('mail to members', id) === 0) &&
      wait('mail to sign in', '') === 0,
  }
}
