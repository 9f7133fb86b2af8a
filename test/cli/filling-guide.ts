import { copyFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { listen } from '../support/listen.ts'

const TOKEN = 'token-of-the-guide'

/** The guide's name of each export, and the sample in the vendor's layout. */
const exportsOfVendors: Record<string, string> = {
  'jira.csv': 'jira-csv.csv',
  'linear.csv': 'linear-csv.csv',
  'asana.csv': 'asana-csv.csv',
  'asana.json': 'asana-json.json',
  'todoist.csv': 'todoist-csv.csv',
  'trello.json': 'trello-json.json',
  'airtable.csv': 'airtable-csv.csv',
  'sheet.csv': 'google-sheets-csv.csv',
  'jira.json': 'jira-json.json',
  'linear.json': 'linear-json.json',
  'notion.csv': 'notion-csv.csv',
  'planner.json': 'planner-json.json',
  'todo.json': 'todo-json.json',
  'clickup-0.json': 'clickup-json.json',
  'monday.json': 'monday-json.json',
}

const ndjson = (ids: string[], title = 'Confirm the order'): string =>
  ids.map((id) => `${JSON.stringify({ id, title })}\n`).join('')

const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`)

/** The files that the guide names, and a `gh` that responds like GitHub's own. */
export function writeSamples(folder: string): void {
  const samples = join(import.meta.dirname, '../import/maps')
  for (const [name, sample] of Object.entries(exportsOfVendors)) copyFileSync(join(samples, sample), join(folder, name))
  const write = (name: string, text: string | Buffer, mode = 0o644) => writeFileSync(join(folder, name), text, { mode })
  write('corrections.ndjson', ndjson(['fix-1']))
  write('monday.ndjson', ndjson(numbered('task', 29)))
  write('tuesday.ndjson', ndjson(numbered('task', 30)))
  write('wednesday.ndjson', ndjson(numbered('task', 15)))
  copyFileSync(join(import.meta.dirname, '../../deploy/systemd/vitrine.env'), join(folder, 'vitrine.env'))
  write('clickup-1.json', '{"tasks": [], "last_page": true}')
  write('south.ndjson', ndjson(['south-1']))
  write('north.csv.gz', gzipSync('id,title\nshop-1,Count the stock\n'))
  write('gh', `#!/bin/sh\ncat ${join(samples, 'github-json.json')}\n`, 0o755)
}

/** The tracker of the guide: one good export behind a token, one that is out of order, one that breaks off. */
export async function serveExport(t: TestContext): Promise<{ url: string; token: string }> {
  const body = ndjson(numbered('web', 12))
  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return response.writeHead(401).end()
    if (request.url === '/issues') response.setHeader('link', '</issues?page=2>; rel="next"')
    if (request.url?.startsWith('/issues'))
      return response.end(JSON.stringify([{ number: request.url.length, title: 'Pack', state: 'open' }]))
    if (request.url === '/broken.ndjson') return response.writeHead(503).end('the tracker is down')
    if (request.url === '/cut.ndjson') {
      response.writeHead(200, { 'content-length': body.length })
      return response.write(body.slice(0, 100), () => response.socket?.end())
    }
    return response.end(body)
  })
  const port = await listen(server)
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${port}`, token: TOKEN }
}
