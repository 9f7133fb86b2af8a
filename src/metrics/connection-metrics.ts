import { connectionOutcomes, connectionSteps, type ObserveConnection } from '../connections/observation.ts'
import { type Sample, sample } from './collect.ts'

export class ConnectionMetrics {
  /** All start at 0, because Prometheus sees an increase only in a series that already exists. */
  readonly #counts = new Map(
    connectionSteps.map((step) => [step, new Map(connectionOutcomes.map((outcome) => [outcome, 0]))]),
  )

  readonly observe: ObserveConnection = (step, outcome) => {
    const counts = this.#counts.get(step)
    counts?.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }

  samples(): Sample[] {
    return [...this.#counts].flatMap(([step, counts]) =>
      [...counts].map(([outcome, count]) => sample('vitrine_connection_steps_total', count, step, outcome)),
    )
  }
}
