import { levels } from '../src/lib/logger.ts'
import { fields, messages } from '../src/log-lines.ts'

const time = { type: 'string', format: 'date-time', description: 'in UTC, with milliseconds' }

/** One line of the log as JSON Schema: of a request, of one that the HTTP parser refused, or with a message. */
export const logSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A line of the log of Vitrine',
  oneOf: [
    line(
      'a request',
      levels.info,
      ['requestId', 'method', 'path', 'status', 'client', 'ms'],
      [
        ...([
          'code',
          'refused',
          'keyId',
          'workspaceId',
          'mcpMethod',
          'tool',
          'rpcError',
          'isError',
          'traceparent',
        ] as const),
      ],
    ),
    line('a request that the HTTP parser refused', levels.info, ['requestId', 'status'], ['fault']),
    ...Object.entries(messages).map(([name, { level, text, fields }]) => {
      const { properties, required, ...rest } = line(name, levels[level], [], fields)
      return { ...rest, properties: { ...properties, msg: messageSchema(text) }, required: [...required, 'msg'] }
    }),
  ],
}

type Field = keyof typeof fields

function line(title: string, level: number, required: readonly Field[], optional: readonly Field[]) {
  const own = [...required, ...optional].map((name) => [name, fields[name]])
  return {
    title,
    type: 'object',
    properties: { level: { const: level }, time, ...Object.fromEntries(own) },
    required: ['level', 'time', ...required],
    additionalProperties: false,
  }
}

/** With what stands for the words in braces. */
function messageSchema(text: string): object {
  if (!text.includes('{')) return { const: text }
  const parts = text.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return { type: 'string', pattern: `^${parts.join('.+')}$` }
}
