/**
 * src/notices informs a workspace's owners and admins, by mail or webhook, about events that the settings pages also show.
 *
 * ## From an event to a delivery
 *
 * This file runs in each replica whose role may write. `records.ts` stores what an owner chooses, `wording.ts` has the
 * texts, `webhook.ts` signs and sends, and `mail.ts` also sends what pages send.
 *   1. Each minute, `detect.ts` finds the workspaces in which something is new: audit entries, leaks, refusals and expiries after the
 *      last ones seen, and failing sources. Workspaces without settings cost nothing.
 *   2. In one transaction per workspace, it stores each event under an id that does not change when the event is detected again,
 *      and advances its position. Then `outbox.ts` puts all new events into one message, with a delivery to each recipient.
 *   3. Every few seconds, `outbox.ts` claims the deliveries that are due, sends them outside the transaction, and records the
 *      outcome. A failed one is repeated later and later, for about a day.
 *
 * ## Invariants
 *
 * - An event becomes part of exactly one message, even with several replicas or after a crash: its id is unique, and the transaction that
 *   stores it locks the workspace.
 * - A claim moves a delivery's next attempt ahead, so no other replica sends it meanwhile. If the process dies between sending and
 *   recording, it is sent again once that time has passed. A webhook then has the same id, so that its receiver can recognise it.
 * - A message goes to members who are owners or admins when it is sent, and who have not unsubscribed.
 * - Events, messages, attempts and their time are all bounded. If some are left out, a message mentions it.
 * - A notice never contains a key, a path on the server or a line break from a label.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { OperatorStore } from '../database/store.ts'
import { ConnectionError } from '../lib/connection-failures.ts'
import { detect } from './detect.ts'
import { createMailer, MailError, type MailSettings, type SendMail } from './mail.ts'
import { type Channel, type Claim, channels, claim, countUndelivered, delayDelivery, endDelivery } from './outbox.ts'
import { UNSUBSCRIBE_PATH, unsubscribeToken } from './records.ts'
import { sendWebhook, type WebhookOptions } from './webhook.ts'
import { mailOf, webhookBody } from './wording.ts'

/** Shorter than a server may take to stop. Unfinished deliveries are sent again after the restart. */
const STOP_WAIT_MS = 3000

/** Passes that fail in a row. */
const LASTING = 2

export interface NoticeOptions {
  publicUrl: string
  mail: MailSettings | undefined
  webhook: WebhookOptions
  onFailure(error: unknown): void
  detectEveryMs?: number
  /** Also how long a test may take to be sent. */
  deliverEveryMs?: number
}

const NONE = { undelivered: 0, sent: 0, failed: 0, given_up: 0 }
export type NoticeStats = Record<Channel, typeof NONE>

export function startNotices(store: OperatorStore, options: NoticeOptions) {
  const { publicUrl, webhook, detectEveryMs = 60_000, deliverEveryMs = 3000 } = options
  const sendMail: SendMail | undefined = options.mail && createMailer(options.mail)
  const stats: NoticeStats = { mail: { ...NONE }, webhook: { ...NONE } }
  const stopping = new AbortController()
  const isStopped = () => stopping.signal.aborted
  /** While it stops, the store may be closed already. */
  const onFailure = (error: unknown) => {
    if (!isStopped()) options.onFailure(error)
  }

  /** Reports a failure once, and only if it lasts: a busy database recovers by itself. */
  async function repeat(everyMs: number, work: () => Promise<void>): Promise<void> {
    for (let failures = 0; !isStopped(); ) {
      await delay(everyMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
      if (isStopped()) return
      try {
        await work()
        failures = 0
      } catch (error) {
        if (++failures === LASTING) onFailure(error)
      }
    }
  }

  async function detectAndCount(): Promise<void> {
    await detect(store, sendMail !== undefined, { isStopped, onFailure })
    const undelivered = await store.read(countUndelivered)
    for (const channel of channels) stats[channel].undelivered = undelivered[channel]
  }

  async function deliver(channel: Channel): Promise<void> {
    while (!isStopped()) {
      const claimed = await claim(store, channel)
      if (claimed.length === 0) return
      await Promise.all(claimed.map(async (delivery) => stats[channel][await attempt(delivery)]++))
    }
  }

  async function attempt(delivery: Claim): Promise<'sent' | 'failed' | 'given_up'> {
    try {
      await send(delivery)
    } catch (error) {
      const isExpected = error instanceof MailError || error instanceof ConnectionError
      if (!isExpected) onFailure(error)
      const reason = isExpected ? error.message : 'an unexpected error; the server’s log has the details'
      const isLast = await store.transaction((tx) => delayDelivery(tx, delivery, reason))
      return isLast ? 'given_up' : 'failed'
    }
    await store.transaction((tx) => endDelivery(tx, delivery.id, 'sent', null))
    return 'sent'
  }

  async function send({ recipient, message, webhookUrl, webhookSecret, unsubscribeKey }: Claim): Promise<void> {
    if (recipient === null) {
      const body = webhookBody(message, publicUrl)
      return sendWebhook({ id: message.id, url: webhookUrl ?? '', secret: webhookSecret ?? '', body }, webhook)
    }
    const token = unsubscribeKey && unsubscribeToken(unsubscribeKey, recipient)
    const unsubscribeUrl = token === null ? undefined : `${publicUrl}${UNSUBSCRIBE_PATH}?token=${token}`
    await sendMail?.({ to: recipient, ...mailOf(message, publicUrl, unsubscribeUrl), unsubscribeUrl })
  }

  // Separately, so that a slow one does not delay the others.
  const running = Promise.all([
    repeat(detectEveryMs, detectAndCount),
    repeat(deliverEveryMs, () => deliver('webhook')),
    sendMail && repeat(deliverEveryMs, () => deliver('mail')),
  ])
  const stop = async (): Promise<void> => {
    stopping.abort()
    await Promise.race([running, delay(STOP_WAIT_MS, undefined, { ref: false })])
  }
  return { stats, stop }
}
