import { cancelRotationPage, rotateKeyPage } from '../../src/web/keys/life-cycle/rotate.ts'
import { revokeKeyPage } from '../../src/web/keys/life-cycle/stop.ts'
import { detail } from './sample-key-pages.ts'
import { ago, ahead, frame, key, liveKey } from './sample-models.ts'

const HOUR = 3_600_000

const unseen = key('Nw0001', 'Supplier sync', { createdAt: ago(60_000), lastUsedAt: null, dailyUse: Array(14).fill(0) })
const rotating = (works: boolean) =>
  key('0RtYp9', 'Supplier sync', {
    retiresAt: ahead(20 * HOUR),
    state: {
      kind: 'rotating',
      until: ahead(20 * HOUR),
      stillUsed: true,
      successor: { id: unseen.id, label: unseen.label, works },
    },
  })
const leaked = { ...liveKey, warnings: [{ seen: 'url', at: ago(3 * HOUR) } as const] }

/** What the forms of keys show when things go wrong. */
export const sampleFormPages: Record<string, () => string> = {
  'rotate-leaked': () => rotateKeyPage(frame, leaked, '0'),
  'rotate-again': () => rotateKeyPage(frame, rotating(false), '24h'),
  'revoke-successor': () => revokeKeyPage(frame, { ...unseen, predecessor: rotating(true) }),
  'cancel-rotation': () => cancelRotationPage(frame, detail(rotating(true), { successors: [liveKey] })),
}
