import { type TestContext, test } from 'node:test'
import { testOnce } from './database.ts'

/** A function for tests that each get what `start` starts; `once` is for those that do not depend on the engine. */
export function testWith<Started>(start: (t: TestContext) => Promise<Started>) {
  type Run = (started: Started, t: TestContext) => Promise<void>
  const started = (run: Run) => async (t: TestContext) => run(await start(t), t)
  return Object.assign((name: string, run: Run) => void test(name, started(run)), {
    once: (name: string, run: Run) => testOnce(name, started(run)),
  })
}
