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

const text = z.string().nullable()

export const workspaceAnswer = z.object({
  workspace: z.object({
    id: z.string(),
    name: z.string(),
    slug: z.string(),
    timezone: text,
    currencyCode: text,
    countryCode: text,
  }),
})

export const tasksAnswer = z.object({
  asOf: z.string(),
  timezone: text,
  etag: z.string(),
  hasMore: z.boolean(),
  nextCursor: text,
  tasks: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      details: text,
      dueAt: text,
      bookKey: text,
      assigneeName: text,
      assigneeEmail: text,
      sourceSessionId: text,
      sourceTitle: text,
      sourceSummary: text,
      sourceKind: text,
    }),
  ),
})
