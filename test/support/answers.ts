import { demoTasks } from '../../src/cli/demo-tasks.ts'
import type { Service } from './service.ts'

/** Tasks of the demo, again and again. */
export function addDemoTasks({ addTasks, time }: Service, count: number): Promise<void> {
  const week = demoTasks(time.now)
  return addTasks(Array.from({ length: count }, (_, i) => ({ ...week[i % week.length], id: `task_${i + 1}` })))
}

/** The texts that a model reads of each kind of answer of MCP 2026-07-28, with the service's key. */
export async function answersFor(service: Service): Promise<Record<string, string>> {
  const ask = async (method: string, params = {}) => {
    const { path, headers, body } = service.publicApi.agentRequest(method, params)
    const response = await service.rpc(body, headers, path)
    return ((await response.json()) as { result: { content: { text: string }[]; instructions: string } }).result
  }
  const call = async (name: string, args = {}) =>
    (await ask('tools/call', { name, arguments: args })).content[0]?.text ?? ''
  return {
    instructions: (await ask('server/discover')).instructions,
    'tools/list': JSON.stringify(await ask('tools/list')),
    get_workspace: await call('get_workspace'),
    'list_tasks, 1': await call('list_tasks', { limit: 1 }),
    'list_tasks, 100': await call('list_tasks'),
  }
}
