import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Seen } from './client.ts'
import { dialectOf } from './model-dialects.ts'

/**
 * A model that an agent can be given in place of a real one: it calls both tools, and then returns their results as JSON texts.
 * The agent itself is real: it really lists the tools, calls them and passes on their results.
 */
async function startScriptedModel() {
  const server = createServer(async (req, res) => {
    const dialect = dialectOf(req.url ?? '')
    const body = await text(req)
    if (dialect === undefined || req.method !== 'POST') return void res.writeHead(404).end('{}')
    const { tools, results } = dialect.read(JSON.parse(body) as never)
    const named = (name: string) => tools.find((tool) => tool.endsWith(name))
    const [workspace, tasks] = [named('get_workspace'), named('list_tasks')]
    // An agent also asks for titles and the like, without tools.
    const events =
      results.length > 0 || workspace === undefined || tasks === undefined
        ? dialect.say(JSON.stringify({ results }))
        : dialect.call([
            { name: workspace, args: {} },
            { name: tasks, args: { limit: 1 } },
          ])
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of events) {
      const { type } = event as { type?: string }
      res.write(`${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`)
    }
    res.end(dialect.end)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Runs an agent on such a model; returns its tools' results, or fails with its message if it offered none of ours. */
export async function withScriptedModel(
  runAgent: (modelUrl: string) => Promise<{ stdout: string; output: string }>,
): Promise<Seen> {
  const model = await startScriptedModel()
  try {
    const { stdout, output } = await runAgent(model.url)
    const said = /^\{"results":.*\}$/m.exec(stdout)?.[0]
    const results: string[] = said === undefined ? [] : JSON.parse(said).results
    // An agent may add its own text around a tool's result.
    const [workspace, tasks] = results.map((result) => /\{.*\}/s.exec(result)?.[0] ?? result)
    if (workspace === undefined || tasks === undefined) throw new Error(output)
    return { workspace, tasks }
  } finally {
    model.stop()
  }
}
