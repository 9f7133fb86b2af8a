import { oauthErrorCodes } from './oauth-error.ts'

/** What the log and the metrics report about connections. A client chose none of it. */
export const connectionSteps = ['registration', 'consent', 'code', 'refresh', 'revocation'] as const
/** `reused`: a code or refresh token was used again, so the connection was revoked. */
export const connectionOutcomes = ['ok', 'reused', ...oauthErrorCodes] as const

export type ConnectionStep = (typeof connectionSteps)[number]
export type ConnectionOutcome = (typeof connectionOutcomes)[number]

export type ObserveConnection = (step: ConnectionStep, outcome: ConnectionOutcome) => void
