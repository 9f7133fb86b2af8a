import { type Asker, converseAll, type Talk } from '../wire/conversation.ts'

/** Someone who changes a workspace and then reads it, over and over. */
export interface Visitor {
  request: Buffer
  /** Commits a change; gives bytes that an answer must hold to show it. */
  change(): Buffer
}

interface Expected {
  bodyLength: number
  /** Whether an answer must show the change that came before it; a bare server's cannot. */
  showsChange: boolean
}

/**
 * One connection for each visitor. Every request is sent after a change was committed, and every answer must show that
 * very change; the first that does not ends the run.
 */
export async function loadWithChanges(
  port: number,
  visitors: readonly Visitor[],
  seconds: number,
  { bodyLength, showsChange }: Expected,
): Promise<{ requests: number; seconds: number }> {
  let requests = 0
  const endsAt = performance.now() + seconds * 1000
  const tookSeconds = await converseAll(port, visitors.map(asker), seconds)
  return { requests, seconds: tookSeconds }

  function asker({ request, change }: Visitor): Asker {
    const answer = Buffer.alloc(bodyLength + 4096)
    let length = 0
    let sign: Buffer
    const send = (talk: Talk) => {
      length = 0
      sign = change()
      talk.ask(request)
    }
    return {
      status: 200,
      bodyLength,
      begin: send,
      onBytes(bytes, count) {
        length += bytes.copy(answer, length, 0, count)
      },
      onAnswer(talk) {
        const at = showsChange ? answer.indexOf(sign) : 0
        if (at === -1 || at > length) throw new Error('an answer does not show the change that came before its request')
        requests++
        if (performance.now() < endsAt) send(talk)
        else talk.end()
      },
    }
  }
}
