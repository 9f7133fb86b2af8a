import { escapedJson } from '../../lib/escaped-json.ts'
import type { Resource } from '../../resources/define.ts'
import type { ResponseCache } from '../../resources/response-cache.ts'
import type { Argument } from './argument.ts'
import { dateIn } from './dates.ts'
import { questionReader } from './question.ts'
import { KeptResponse, resultHead } from './response.ts'
import { type CallTool, unavailable } from './tool.ts'
import { untrustedMembers } from './untrusted.ts'
import { NO_CLOCK, type WorkspaceClock, workspaceClock } from './workspace-clock.ts'

/** The body of REST, kept together with the clock that tells the day. */
class KeptBody {
  readonly clock: WorkspaceClock
  readonly response: KeptResponse

  constructor(clock: WorkspaceClock, body: Buffer) {
    this.clock = clock
    this.response = new KeptResponse(`,${escapedJson(body).toString('latin1', 1)}`)
  }

  get weight(): number {
    return this.response.weight
  }
}

/** What is no list: the time now, the date, and all of the body. */
export function createWholeTool(resource: Resource, args: readonly Argument[], cache: ResponseCache): CallTool {
  const { tool, whenUnavailable } = resource
  const readQuestion = questionReader(tool.name, args)
  const head = resultHead(untrustedMembers(resource))

  return (given, admission) => {
    const { key, args: asked } = readQuestion(given)
    const kept = cache.ask(key, admission, async (store, viewpoint) => {
      const clock = await workspaceClock(cache, admission)
      const reading = await resource.read(store, viewpoint, asked)
      return reading && { value: new KeptBody(clock, reading.body), until: reading.until }
    })
    const parts = (body: KeptBody | undefined) => {
      if (body === undefined && whenUnavailable === undefined) throw unavailable()
      const { clock, response } = body ?? new KeptBody(NO_CLOCK, Buffer.from(JSON.stringify(whenUnavailable)))
      const now = new Date(admission.now).toISOString()
      return response.parts(head, `"asOf":"${now}","localDate":"${dateIn(clock.zone, admission.now)}"`)
    }
    return kept instanceof Promise ? kept.then(parts) : parts(kept)
  }
}
