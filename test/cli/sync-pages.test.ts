import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { counts } from '../import/syncing.ts'
import { sourceServer } from '../support/source-server.ts'
import { syncProgram } from './sync-program.ts'

type Respond = (request: IncomingMessage, response: ServerResponse) => void

async function start(t: TestContext, respond: Respond, settings: Record<string, string> = {}) {
  const vitrine = await syncProgram(t, 'api', settings)
  const source = await sourceServer(t, respond)
  const ids = async () => (await vitrine.ids()).join(' ')
  /** All pages of issues. */
  const issues = () => vitrine.sync(source.url('/issues').href, '--map', 'github-json')
  return { ...vitrine, source, issues, ids }
}

const issue = (number: number) => ({ number, title: `Issue ${number}`, state: 'open', created_at: null })
const parameter = ({ url = '' }: IncomingMessage, name: string) => new URL(url, 'http://x').searchParams.get(name)

test('pages linked by a Link header are one snapshot', async (t) => {
  let pages = 3
  const { issues, ids, source } = await start(t, (request, response) => {
    const page = Number(parameter(request, 'page') ?? 1)
    if (page < pages) response.setHeader('link', `</issues?page=${page + 1}>; rel="next", </issues?page=9>; rel="last"`)
    response.end(JSON.stringify([issue(page * 10), issue(page * 10 + 1)]))
  })
  assert.deepEqual(await issues(), counts(6, 0, 0, 0))
  pages = 2
  assert.deepEqual(await issues(), counts(0, 0, 2, 4))
  assert.equal(await ids(), 'gh-10 gh-11 gh-20 gh-21')
  assert.equal(source.requests.length, 5)
})

test('a failing page leaves everything unchanged', async (t) => {
  let status = 200
  const { issues, ids } = await start(t, (request, response) => {
    const isFirst = parameter(request, 'page') === null
    if (isFirst) response.setHeader('link', '</issues?page=2>; rel="next"')
    else response.statusCode = status
    response.end(JSON.stringify([issue(isFirst ? 1 : 2)]))
  })
  assert.deepEqual(await issues(), counts(2, 0, 0, 0))
  status = 502
  assert.match(await issues(), /\/issues, page 2: returned 502 Bad Gateway instead of 200/)
  assert.equal(await ids(), 'gh-1 gh-2')
})

test('pages that lead back, or to plain http, are refused, and other origins get no credentials', async (t) => {
  let link = '</issues>; rel="next"'
  const seen: (string | undefined)[] = []
  const other = await sourceServer(t, ({ headers }, response) => {
    seen.push(headers.authorization)
    response.end(JSON.stringify([issue(2)]))
  })
  const respond: Respond = ({ headers }, response) => {
    seen.push(headers.authorization)
    response.setHeader('link', link)
    response.end(JSON.stringify([issue(1)]))
  }
  const { issues, ids } = await start(t, respond, { SYNC_TOKEN: 'hush' })
  assert.match(await issues(), /\/issues, page 2: is named as the next page, but was already read/)
  link = '<ftp://tracker.example/>; rel="next"'
  assert.match(await issues(), /leads to a URL that is not http or https, so it was not/)
  link = `<${other.url().href}>; rel="next"`
  assert.deepEqual(await issues(), counts(2, 0, 0, 0))
  assert.deepEqual(seen.slice(-2), ['Bearer hush', undefined])
  assert.equal(await ids(), 'gh-1 gh-2')
  link = '<http://[>; rel="next"'
  assert.match(await issues(), /\/issues: redirects or continues to something that is not a valid URL/)
})

for (const how of ['page', 'redirect'])
  test(`a foreign ${how} that leads back to the origin does not get its credentials`, async (t) => {
    const other = await sourceServer(t, (_, response) => {
      response.setHeader('link', `<${source.origin}/issues?page=3>; rel="next"`)
      response.end(JSON.stringify([issue(2)]))
    })
    const respond: Respond = ({ url, headers }, response) => {
      if (url === '/moved') response.writeHead(302, { location: other.url().href })
      else if (url === '/issues')
        response.setHeader('link', `<${how === 'page' ? other.url().href : '/moved'}>; rel="next"`)
      else if (headers.authorization === undefined) response.statusCode = 401
      response.end(JSON.stringify([issue(1)]))
    }
    const { issues, source } = await start(t, respond, { SYNC_TOKEN: 'hush' })
    assert.match(
      await issues(),
      /returned 401 Unauthorized instead of 200; a redirect or a page of another origin led here, and credentials/,
    )
    assert.equal(source.requests.at(-1)?.headers.authorization, undefined)
  })

const jiraIssue = (key: string) => ({ key, fields: { summary: 'A', status: { statusCategory: { key: 'new' } } } })

test('Jira returns a token for the next page, which keeps the other parameters', async (t) => {
  const { sync, ids, source, writeFile } = await start(t, (request, response) => {
    const token = parameter(request, 'nextPageToken')
    assert.equal(parameter(request, 'jql'), 'project = A')
    const page = { issues: [jiraIssue(token ?? 'A-1')], ...(token === null && { nextPageToken: 'A-2' }) }
    response.end(JSON.stringify(page))
  })
  const location = source.url('/rest/api/2/search/jql?jql=project+%3D+A').href
  assert.deepEqual(await sync(location, '--map', 'jira-json'), counts(2, 0, 0, 0))
  assert.equal(await ids(), 'A-1 A-2')
  const page = writeFile('page.json', JSON.stringify({ issues: [jiraIssue('A-1')], nextPageToken: 'x' }))
  assert.match(
    await sync(page, '--map', 'jira-json'),
    /is one page of several \(see its \/nextPageToken\); pass all pages/,
  )
})

test('Jira Data Center is asked for the records after the previous pages, up to its total', async (t) => {
  let keys = ['A-1', 'A-2', 'A-3', 'A-4', 'A-5']
  let [size, shift] = [2, 0]
  let onPage = () => {}
  const { sync, ids, source } = await start(t, (request, response) => {
    const startAt = Number(parameter(request, 'startAt')) + (parameter(request, 'startAt') === null ? 0 : shift)
    assert.equal(parameter(request, 'jql'), 'project = A')
    const issues = keys.slice(startAt, startAt + size).map(jiraIssue)
    response.end(JSON.stringify({ startAt, maxResults: size, total: keys.length, issues }))
    onPage()
  })
  const issues = () =>
    sync(source.url('/rest/api/2/search?jql=project+%3D+A&maxResults=100').href, '--map', 'jira-json')
  assert.deepEqual(await issues(), counts(5, 0, 0, 0))
  assert.deepEqual(
    source.requests.map((request) => parameter(request, 'startAt')),
    [null, '2', '4'],
  )
  // The limits of pages, bytes and time also apply; these are noticed on the next page.
  shift = -2
  assert.match(await issues(), /\/search: responds with the page after 0 records, but 2 were read/)
  shift = 1
  assert.match(await issues(), /\/search: responds with the page after 3 records, but 2 were read/)
  shift = 0
  onPage = () => keys.push(`A-${keys.length + 1}`)
  assert.match(await issues(), /\/search: now has 6 records instead of 5; they changed between two pages/)
  // The last page shows no gap: only its total reveals that A-3 was moved to the previous page.
  keys = ['A-1', 'A-2', 'A-3', 'A-4']
  onPage = () => {
    keys = ['A-2', 'A-3', 'A-4']
  }
  assert.match(await issues(), /\/search: now has 3 records instead of 4/)
  onPage = () => {
    size = 0
  }
  assert.match(await issues(), /\/search: has no records after 2 of 3/)
  assert.equal(await ids(), 'A-1 A-2 A-3 A-4 A-5')
})

test('a file that ends before its total, or has none where pages are counted, is refused', async (t) => {
  const { sync, ids, writeFile } = await start(t, () => {})
  const nextPage = { total: '/total', offset: '/start', offsetParameter: 'start' }
  const map = { format: 'json', records: '/rows', nextPage, fields: { id: '/id', title: '/title' } }
  writeFile('map.json', JSON.stringify(map))
  const page = (numbers: object) =>
    sync(writeFile('page.json', JSON.stringify({ rows: [{ id: 'c', title: 'C' }], ...numbers })), '--map', 'map.json')
  assert.match(await page({ start: 1, total: 3 }), /is one page of several \(see its \/total\)/)
  assert.match(await page({ start: 2 }), /there is no number at \/total/)
  assert.match(await page({ start: 'two', total: 3 }), /there is no number at \/start/)
  assert.deepEqual(await page({ start: 2, total: 3 }), counts(1, 0, 0, 0))
  assert.equal(await ids(), 'c')
})

test('a document names its next page relative to its own URL', async (t) => {
  const { sync, ids, source, writeFile } = await start(t, ({ url }, response) => {
    const [id, next] = url === '/list/page1' ? ['a', 'page2?full=1'] : ['b', null]
    response.end(JSON.stringify({ rows: [{ id, title: 'T' }], next }))
  })
  const map = { format: 'json', records: '/rows', nextPage: { url: '/next' }, fields: { id: '/id', title: '/title' } }
  const mapFile = writeFile('map.json', JSON.stringify(map))
  assert.deepEqual(await sync(source.url('/list/page1').href, '--map', mapFile), counts(2, 0, 0, 0))
  assert.equal(source.requests.at(-1)?.url, '/list/page2?full=1')
  assert.equal(await ids(), 'a b')
})

test('Linear is queried with GraphQL, and reports whether there are more pages', async (t) => {
  const { sync, ids, source } = await start(t, async (request, response) => {
    const { query, variables } = JSON.parse(await text(request))
    assert.equal(request.method, 'POST')
    assert.match(query, /^query \(\$after: String\) \{ issues\(first: 100, after: \$after\)/)
    const [id, hasNextPage] = variables.after === undefined ? ['E-1', true] : ['E-2', false]
    const nodes = [{ identifier: id, title: 'A', state: { type: 'started' } }]
    response.end(JSON.stringify({ data: { issues: { nodes, pageInfo: { hasNextPage, endCursor: 'c' } } } }))
  })
  assert.deepEqual(await sync(source.url('/graphql').href, '--map', 'linear-json'), counts(2, 0, 0, 0))
  assert.equal(await ids(), 'E-1 E-2')
})

test('a GraphQL query is refused if it reports an error or hides its next page', async (t) => {
  let more: object = {}
  let pageInfo: object = { hasNextPage: false, endCursor: null }
  const { sync, ids, source } = await start(t, (_, response) => {
    const nodes = [{ identifier: 'E-1', title: 'A', state: { type: 'started' } }]
    response.end(JSON.stringify({ data: { issues: { nodes, pageInfo } }, ...more }))
  })
  const location = source.url('/graphql').href
  for (const expected of [counts(1, 0, 0, 0), counts(0, 0, 0, 1)])
    assert.deepEqual(await sync(location, '--map', 'linear-json'), expected)
  pageInfo = { hasNextPage: true, endCursor: null }
  assert.match(
    await sync(location, '--map', 'linear-json'),
    /is one page of several \(see its \/data\/issues\/pageInfo\/hasNextPage\)/,
  )
  pageInfo = {}
  more = { errors: [{ message: `Too \u001b[31mcomplex ${'x'.repeat(400)}` }] }
  const refusal = await sync(location, '--map', 'linear-json')
  assert.match(refusal, /the query failed: Too \S*complex x+…/)
  assert.ok(!refusal.includes('\u001b') && !refusal.includes('x'.repeat(300)))
  more = { errors: [] }
  assert.deepEqual(await sync(location, '--map', 'linear-json'), counts(0, 0, 0, 1))
  assert.equal(await ids(), 'E-1')
})

test('several files are one snapshot, whatever their formats, and may be its pages', async (t) => {
  const { sync, words, begin, writeFile, ids } = await start(t, () => {})
  writeFile('a.csv', 'id,title\na,A\n')
  writeFile('b.json', '[{"id":"b","title":"B"}]')
  assert.deepEqual(await sync('a.csv', 'b.json'), counts(2, 0, 0, 0))
  writeFile('bad.csv', 'id,title\nc\n')
  assert.match(await sync('a.csv', 'bad.csv'), /^bad.csv, line 2: has 1 cell where the header has 2\n/)
  assert.match(await sync('a.csv', 'a.csv'), /duplicate ids: \\"a\\"/)
  assert.match(await sync('a.csv', 'https://tracker.example/'), /a URL cannot be combined with other files/)
  writeFile('1.json', JSON.stringify({ tasks: [{ id: 'a', title: 'A' }], hasMore: true }))
  writeFile('2.json', JSON.stringify({ tasks: [{ id: 'z', title: 'Z' }], hasMore: false }))
  assert.match(
    await sync('1.json'),
    /is one page of several \(see its hasMore\); pass all pages as files, the last one last/,
  )
  writeFile('3.json', JSON.stringify({ tasks: [], has_more: true, next_cursor: 'abc' }))
  assert.match(await sync('3.json'), /is one page of several \(see its has_more\)/)
  assert.deepEqual(await sync('1.json', '2.json'), counts(1, 0, 1, 1))
  assert.equal(await ids(), 'a z')
  writeFile('empty.ndjson', '')
  for (const files of [
    ['1.json', 'empty.ndjson'],
    ['empty.ndjson', '2.json'],
  ])
    assert.match(
      await sync('--allow-empty', ...files),
      /nothing was synced: empty\.ndjson is empty; for no tasks, pass/,
    )
  const { child, printed } = await begin(...words, '-', '-')
  child.stdin?.end('[]')
  await printed('nothing was synced: stdin is empty')
  writeFile('cut.gz', gzipSync('id,title\nb,B\n').subarray(0, 20))
  assert.match(await sync('a.csv', 'cut.gz'), /cut\.gz is not valid gzip, or was truncated/)
  assert.equal(await ids(), 'a z')
})
