/** Run by each runtime, in a project that has the client installed; prints what happened as JSON. */
/* biome-ignore-all lint/suspicious/noConsole: it is a script of a user, whose output is judged */
import process from 'node:process'
import { Vitrine } from 'vitrine-client'

const { VITRINE_URL: url, VITRINE_KEY: key, REDIRECTING_URL, HANGING_UP_URL, SILENT_URL } = process.env
const failure = async (call) => {
  try {
    await call
    return 'none'
  } catch (error) {
    // What a script's log would show.
    console.error(error)
    return [error.name, error.code ?? error.status ?? error.timedOut ?? error.message]
  }
}

const vitrine = new Vitrine({ url, key })
const { workspace } = await vitrine.get('/workspace')
const first = await vitrine.get('/tasks')
const second = await vitrine.get('/tasks')
console.error(vitrine, JSON.stringify(vitrine))

console.log(
  JSON.stringify({
    workspace: workspace.slug,
    titles: first.tasks.map(({ title }) => title),
    sameObject: first === second,
    remaining: vitrine.quota.remaining,
    problem: await failure(new Vitrine({ url, key: 'vtr_unknown' }).get('/tasks')),
    redirect: await failure(new Vitrine({ url: REDIRECTING_URL, key }).get('/tasks')),
    hangUp: await failure(new Vitrine({ url: HANGING_UP_URL, key, maxWaitMs: 0 }).get('/tasks')),
    timeout: await failure(new Vitrine({ url: SILENT_URL, key, timeoutMs: 50 }).get('/tasks')),
    abort: await failure(vitrine.get('/tasks', { signal: AbortSignal.abort(new Error('enough')) })),
  }),
)
