import { load } from '../load.ts'
import { spentNs } from './cpu-time.ts'
import { exchange, type RawAnswer } from './exchange.ts'
import { CONNECTIONS, MODEST_RATE, type Pace } from './pace.ts'
import type { Server } from './server.ts'
import { quantile } from './statistics.ts'

/** Says what is wrong with an answer, if anything is. */
export type Check = (answer: RawAnswer) => string | undefined

export interface Contestant {
  name: string
  /** Or why it could not be started. */
  server: Server | Error
  request: Buffer
  check: Check
}

export interface Score {
  name: string
  perCpuSecond: number[]
  perSecond: number[]
  p50Ms: number
  p99Ms: number
  rssBytes: number
  answerBytes: number
}

export interface Refused {
  name: string
  refused: string
}

export type Result = Score | Refused

export const isRefused = (result: Result): result is Refused => 'refused' in result

/** A contestant at its place in the contest. */
interface Entrant {
  name: string
  server: Server
  request: Buffer
  check: Check
  answer: RawAnswer
  score: Score
}

/**
 * Everyone is checked and warmed up, then they take turns, round after round, one under load at a time; then each
 * answers at a modest rate, and is checked again. Whoever fails at any of it is refused, with the reason, and plays no
 * further part.
 */
export async function contest(contestants: readonly Contestant[], pace: Pace): Promise<Result[]> {
  const refusals = new Map<string, string>()
  const entrants: Entrant[] = []
  for (const contestant of contestants) {
    try {
      entrants.push(await enter(contestant))
    } catch (error) {
      refusals.set(contestant.name, reasonOf(error))
    }
  }
  const everyone = async (step: (entrant: Entrant) => Promise<void>) => {
    for (const entrant of entrants) {
      if (refusals.has(entrant.name)) continue
      try {
        await step(entrant)
        entrant.server.emptyLog()
      } catch (error) {
        refusals.set(entrant.name, reasonOf(error))
      }
    }
  }
  await everyone(async (entrant) => void (await strain(entrant, pace.warmUpSeconds)))
  for (let round = 0; round < pace.rounds; round++) await everyone((entrant) => playRound(entrant, pace.roundSeconds))
  await everyone((entrant) => timeAnswers(entrant, pace.latencySeconds))
  await everyone(leave)
  return contestants.map(({ name }) => {
    const refused = refusals.get(name)
    return refused === undefined
      ? (entrants.find((entrant) => entrant.name === name) as Entrant).score
      : { name, refused }
  })
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

async function enter({ name, server, request, check }: Contestant): Promise<Entrant> {
  if (server instanceof Error) throw server
  const answer = await checkedAnswer(server.port, request, check)
  const score = { name, perCpuSecond: [], perSecond: [], p50Ms: 0, p99Ms: 0, rssBytes: 0, answerBytes: answer.bytes }
  return { name, server, request, check, answer, score }
}

async function checkedAnswer(port: number, request: Buffer, check: Check): Promise<RawAnswer> {
  const answer = await exchange(port, request)
  const fault = check(answer)
  if (fault !== undefined) throw new Error(fault)
  return answer
}

const strain = ({ server, request, answer }: Entrant, seconds: number, rate?: number) =>
  load({
    port: server.port,
    request,
    connections: CONNECTIONS,
    seconds,
    status: answer.status,
    bodyLength: answer.body.length,
    ...(rate !== undefined && { rate }),
  })

async function playRound(entrant: Entrant, seconds: number): Promise<void> {
  const before = entrant.server.cpuTime()
  const done = await strain(entrant, seconds)
  const cpuSeconds = spentNs(before, entrant.server.cpuTime()) / 1e9
  entrant.score.perCpuSecond.push(done.requests / cpuSeconds)
  entrant.score.perSecond.push(done.requests / done.seconds)
}

async function timeAnswers(entrant: Entrant, seconds: number): Promise<void> {
  const { latenciesMs } = await strain(entrant, seconds, MODEST_RATE)
  entrant.score.p50Ms = quantile(latenciesMs, 0.5)
  entrant.score.p99Ms = quantile(latenciesMs, 0.99)
}

async function leave({ server, request, check, score }: Entrant): Promise<void> {
  score.rssBytes = server.rssBytes()
  await checkedAnswer(server.port, request, check)
}
