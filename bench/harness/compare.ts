import { load } from '../load/load.ts'
import { quantile } from '../report/statistics.ts'
import { exchange, type RawResponse } from './exchange.ts'
import { CONNECTIONS, LATENCY_RATE, type Schedule } from './schedule.ts'
import { measureCpu, type Server } from './server.ts'

/** Says what is wrong with a response, if anything is. */
export type Check = (response: RawResponse) => string | undefined

export interface Target {
  name: string
  /** Or why it could not be started. */
  server: Server | Error
  request: Buffer
  check: Check
}

export interface Measurement {
  name: string
  perCpuSecond: number[]
  perSecond: number[]
  /** Left out in the shortest runs. */
  p50Ms?: number
  p99Ms?: number
  rssBytes: number
  responseBytes: number
}

interface Failure {
  name: string
  failure: string
}

export type Result = Measurement | Failure

export const isFailure = (result: Result): result is Failure => 'failure' in result

/** A target while it is being measured. */
interface Run {
  name: string
  server: Server
  request: Buffer
  check: Check
  response: RawResponse
  measurement: Measurement
}

/**
 * Each target is checked and warmed up; then they run interleaved, round after round, one under load while the others are
 * suspended; then each is measured for latency and checked again. One that fails at any step is reported with the reason.
 */
export async function compare(targets: readonly Target[], schedule: Schedule): Promise<Result[]> {
  const failures = new Map<string, string>()
  const runs: Run[] = []
  for (const target of targets) {
    try {
      runs.push(await begin(target))
    } catch (error) {
      failures.set(target.name, reasonOf(error))
    }
  }
  for (const { server } of runs) server.pause()
  const eachInTurn = async (step: (run: Run) => Promise<void>) => {
    for (const run of runs) {
      if (failures.has(run.name)) continue
      run.server.resume()
      try {
        await step(run)
        run.server.emptyLog()
      } catch (error) {
        failures.set(run.name, reasonOf(error))
      }
      run.server.pause()
    }
  }
  await eachInTurn(async (run) => void (await applyLoad(run, schedule.warmUpSeconds)))
  for (let round = 0; round < schedule.rounds; round++)
    await eachInTurn((run) => measureRound(run, schedule.roundSeconds))
  if (schedule.latencySeconds > 0) await eachInTurn((run) => measureLatency(run, schedule.latencySeconds))
  await eachInTurn(finish)
  for (const { server } of runs) server.resume()
  return targets.map(({ name }) => {
    const failure = failures.get(name)
    return failure === undefined ? (runs.find((run) => run.name === name) as Run).measurement : { name, failure }
  })
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

async function begin({ name, server, request, check }: Target): Promise<Run> {
  if (server instanceof Error) throw server
  const response = await checkedResponse(server.port, request, check)
  const measurement = {
    name,
    perCpuSecond: [],
    perSecond: [],
    rssBytes: 0,
    responseBytes: response.bytes,
  }
  return { name, server, request, check, response, measurement }
}

async function checkedResponse(port: number, request: Buffer, check: Check): Promise<RawResponse> {
  const response = await exchange(port, request)
  const fault = check(response)
  if (fault !== undefined) throw new Error(fault)
  return response
}

const applyLoad = ({ server, request, response }: Run, seconds: number, rate?: number) =>
  load({
    port: server.port,
    request,
    connections: CONNECTIONS,
    seconds,
    status: response.status,
    bodyLength: response.body.length,
    ...(rate !== undefined && { rate }),
  })

async function measureRound(run: Run, seconds: number): Promise<void> {
  const { result, cpuSeconds } = await measureCpu(run.server, () => applyLoad(run, seconds))
  run.measurement.perCpuSecond.push(result.requests / cpuSeconds)
  run.measurement.perSecond.push(result.requests / result.seconds)
}

async function measureLatency(run: Run, seconds: number): Promise<void> {
  const { latenciesMs } = await applyLoad(run, seconds, LATENCY_RATE)
  run.measurement.p50Ms = quantile(latenciesMs, 0.5)
  run.measurement.p99Ms = quantile(latenciesMs, 0.99)
}

async function finish({ server, request, check, measurement }: Run): Promise<void> {
  measurement.rssBytes = server.rssBytes()
  await checkedResponse(server.port, request, check)
}
