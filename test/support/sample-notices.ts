import { noticeKinds } from '../../src/notices/records.ts'
import { type NoticesModel, noticesPage, secretPage } from '../../src/web/notices/notices.ts'
import { unsubscribePage } from '../../src/web/notices/unsubscribe.ts'
import { ago, ahead, frameIn, noticed } from './sample-models.ts'

const frame = frameIn('notices')
const long = 'a-colleague-with-a-very-long-address.of-the-warehouse-in-rotterdam@northwind.example'
const delivery = {
  recipient: null,
  createdAt: ago(60_000),
  attempts: 1,
  nextAt: ahead(300_000),
  reason: null,
  events: 1,
}

const choices = {
  kinds: noticeKinds.slice(0, 4),
  webhookUrl: 'https://hooks.example/services/T000/B000/abcdefghijklmnopqrstuvwxyz',
  recipients: ['priya@northwind.example'],
}

const noticesModel: NoticesModel = {
  frame: noticed('good', 'Saved.', frame),
  choices,
  saved: choices,
  isConflict: false,
  errors: {},
  offered: [
    { email: 'priya@northwind.example', role: 'owner' },
    { email: long, role: 'admin' },
  ],
  hasMail: true,
  hasWebhook: true,
  deliveries: [
    {
      ...delivery,
      state: 'waiting',
      reason: 'the receiver responded with 503',
      text: 'The key “CI” (vtr_Zk3fQa…) has used up its quota.',
    },
    {
      ...delivery,
      state: 'sent',
      recipient: long,
      events: 12,
      text: 'The key “nightly report” (vtr_8sPq1x…) expires on 2026-11-29.',
    },
    { ...delivery, state: 'failed', attempts: 8, reason: 'no response within 5 seconds', text: 'x'.repeat(200) },
    { ...delivery, state: 'dropped', recipient: long, reason: 'no longer a recipient', text: null },
  ],
}

/** The states of the pages of notices, by name. */
export const noticePages: Record<string, () => string> = {
  notices: () => noticesPage(noticesModel),
  'notices-secret': () => secretPage(frame, `whsec_${'A'.repeat(43)}=`),
  unsubscribe: () => unsubscribePage('token'),
}
