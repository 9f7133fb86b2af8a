import { FastMCP } from 'fastmcp'
import { getWorkspace, listTasks, port } from './data.mjs'
import { noArguments, serverInfo, taskArguments, tasksDescription, workspaceDescription } from './tools.mjs'

const server = new FastMCP(serverInfo)
server.addTool({
  name: 'get_workspace',
  description: workspaceDescription,
  parameters: noArguments,
  execute: async () => JSON.stringify(getWorkspace()),
})
server.addTool({
  name: 'list_tasks',
  description: tasksDescription,
  parameters: taskArguments,
  execute: async (args) => JSON.stringify(listTasks(args)),
})
await server.start({
  transportType: 'httpStream',
  httpStream: { port, host: '127.0.0.1', stateless: true, enableJsonResponse: true },
})
