/**
 * The workspace's due dates as a calendar. `node calendar.mjs > tasks.ics` writes it once; with PORT set it serves a feed to which
 * calendars subscribe. They cannot send a key, so the feed's address is a secret: it is derived from the key, and changes with it.
 */
import { createHash, createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import process from 'node:process'
import { Vitrine, VitrineError } from 'vitrine-client'
import { calendar } from './ics.mjs'

const { VITRINE_URL, VITRINE_KEY, PORT, HOST = '127.0.0.1' } = process.env

/** Calendars load the whole feed, and become slow with more. */
const MAX_TASKS = 2_000
/** Every due date; tasks without one do not match. */
const DATED = /** @type {const} */ ({
  dueBefore: '9999-12-31T23:59:59Z',
  fields: ['details', 'dueAt', 'assigneeName'],
})

/**
 * Undefined if nothing has changed since that etag, which covers all pages.
 * @param {Vitrine} vitrine
 * @param {string | undefined} etag
 */
async function readDated(vitrine, etag) {
  let page = await vitrine.listTasks({ ...DATED, ...(etag !== undefined && { ifNoneMatch: etag }) })
  if (page.unchanged) return undefined
  const { total, totalIsMinimum } = page
  const first = page
  const tasks = [...page.tasks]
  while (page.nextCursor !== null && tasks.length < MAX_TASKS) {
    page = await vitrine.listTasks({ ...DATED, cursor: page.nextCursor })
    tasks.push(...page.tasks)
  }
  const left = `${totalIsMinimum ? 'at least ' : ''}${total - tasks.length}`
  const note = page.nextCursor === null ? '' : `The first ${tasks.length} due dates; ${left} more are left out.`
  if (note !== '') console.error(note)
  return { etag: first.etag, tasks, note }
}

/** @param {ConstructorParameters<typeof Vitrine>[0]} options */
function createFeed(options) {
  const vitrine = new Vitrine(options)
  /** @type {{ workspace: unknown, dated: NonNullable<Awaited<ReturnType<typeof readDated>>> } | undefined} */
  let last
  let ics = ''
  let etag = ''
  return async () => {
    const { workspace } = await vitrine.get('/workspace')
    const changed = await readDated(vitrine, last?.dated.etag)
    const dated = changed ?? last?.dated
    // The client returns the same object while nothing has changed.
    if (dated !== undefined && (changed !== undefined || workspace !== last?.workspace)) {
      last = { workspace, dated }
      ics = calendar(workspace, dated, new Date())
      etag = `"${createHash('sha256').update(ics).digest('base64url')}"`
    }
    return { ics, etag }
  }
}

/** @param {string | undefined} text */
function portOf(text) {
  if (!/^\d+$/.test(text ?? '') || Number(text) > 65_535) throw new TypeError('PORT: must be a number from 0 to 65535')
  return Number(text)
}

/** @param {() => Promise<{ ics: string, etag: string }>} readFeed */
function serve(readFeed) {
  // An HMAC instead of a hash, because Vitrine stores the hash of the key.
  const secret = createHmac('sha256', VITRINE_KEY ?? '')
    .update('tasks.ics')
    .digest('base64url')
  const path = `/${secret}/tasks.ics`
  const server = createServer(async ({ method, url, headers }, res) => {
    if (url !== path) return res.writeHead(404).end()
    if (method !== 'GET' && method !== 'HEAD') return res.writeHead(405, { allow: 'GET, HEAD' }).end()
    try {
      const { ics, etag } = await readFeed()
      res.setHeader('etag', etag).setHeader('cache-control', 'private, no-cache')
      // Some proxies weaken the tag when they compress.
      if (headers['if-none-match']?.includes(etag)) return res.writeHead(304).end()
      res.writeHead(200, { 'content-type': 'text/calendar; charset=utf-8', 'content-length': Buffer.byteLength(ics) })
      res.end(method === 'HEAD' ? undefined : ics)
    } catch (error) {
      console.error(error instanceof VitrineError ? error.message : error)
      res.writeHead(503, { 'retry-after': '60' }).end()
    }
  })
  server.on('error', ({ message }) => {
    console.error(message)
    process.exitCode = 1
  })
  server.listen(portOf(PORT), HOST, () => {
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : PORT
    console.log(`The feed is at http://${HOST}:${port}${path}`)
  })
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      server.close()
      server.closeIdleConnections()
    })
}

try {
  // The calendar is waiting, so give up early.
  const patience = PORT === undefined ? {} : { timeoutMs: 5_000, maxWaitMs: 2_000 }
  const readFeed = createFeed({ url: VITRINE_URL, key: VITRINE_KEY, ...patience })
  if (PORT !== undefined) serve(readFeed)
  else process.stdout.write((await readFeed()).ics)
} catch (error) {
  if (!(error instanceof VitrineError || error instanceof TypeError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
