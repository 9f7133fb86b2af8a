// The tools' arguments, in the form that all MCP peers take.
import { z } from 'zod'

export const serverInfo = { name: 'vitrine-bench', version: '1.0.0' }

export const workspaceDescription = 'Get the identity of the workspace and its defaults.'
export const tasksDescription = 'List the current tasks of the workspace. All arguments are optional.'

export const noArguments = z.object({})

export const taskArguments = z.object({
  limit: z.number().int().min(1).max(100).optional(),
  bookKey: z.string().optional(),
  assigneeEmail: z.string().optional(),
  dueBefore: z.string().optional(),
})
