import type { IncidentRecorder } from './incident-recorder.ts'
import type { LostRecords } from './store.ts'
import type { UseRecorder } from './use-recorder.ts'

/** Has both write what they remember, and tells what is lost if they cannot within the time. */
export async function closeRecorders(
  uses: UseRecorder,
  incidents: IncidentRecorder,
  waitMs: number,
  onLost: (lost: LostRecords) => void,
): Promise<void> {
  const [lostUses, lostIncidents] = await Promise.all([uses.close(waitMs), incidents.close(waitMs)])
  const lost = { ...lostUses, incidents: lostIncidents.incidents, cause: lostUses.cause ?? lostIncidents.cause }
  if (lost.uses + lost.incidents > 0) onLost(lost)
}
