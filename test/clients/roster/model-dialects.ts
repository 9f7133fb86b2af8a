interface Call {
  name: string
  args: object
}

/** What a turn of the conversation asks the model, in any provider's format. */
interface Turn {
  /** The names under which the agent offers its tools. */
  tools: string[]
  /** Its tools' results so far, as the model would read them. */
  results: string[]
}

/** How one provider's requests are read and its streams written. */
interface Dialect {
  read(body: never): Turn
  call(calls: Call[]): object[]
  say(words: string): object[]
  /** After the last event. */
  end?: string
}

const anthropic: Dialect = {
  read: ({ tools = [], messages = [] }: { tools?: { name: string }[]; messages?: { content: unknown }[] }) => ({
    tools: tools.map(({ name }) => name),
    results: messages
      .flatMap(({ content }) => (Array.isArray(content) ? content : []))
      .filter(({ type }) => type === 'tool_result')
      .map(({ content }) =>
        typeof content === 'string' ? content : content.map((one: { text: string }) => one.text).join(''),
      ),
  }),
  call: (calls) => [
    messageStart,
    ...calls.flatMap(({ name, args }, index) => [
      {
        type: 'content_block_start',
        index,
        content_block: { type: 'tool_use', id: `toolu_${index}`, name, input: {} },
      },
      { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: JSON.stringify(args) } },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ],
  say: (words) => [
    messageStart,
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: words } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ],
}
const messageStart = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
}

const chunk = (delta: object, finish: string | null = null) => ({
  id: 'chat_1',
  object: 'chat.completion.chunk',
  created: 0,
  model: 'scripted',
  choices: [{ index: 0, delta, finish_reason: finish }],
})
const openAi: Dialect = {
  read: ({
    tools = [],
    messages = [],
  }: {
    tools?: { function: { name: string } }[]
    messages?: { role: string; content: unknown }[]
  }) => ({
    tools: tools.map(({ function: { name } }) => name),
    results: messages.filter(({ role }) => role === 'tool').map(({ content }) => textIn(content)),
  }),
  call: (calls) => [
    chunk({
      role: 'assistant',
      tool_calls: calls.map(({ name, args }, index) => ({
        index,
        id: `call_${index}`,
        type: 'function',
        function: { name, arguments: JSON.stringify(args) },
      })),
    }),
    chunk({}, 'tool_calls'),
  ],
  say: (words) => [chunk({ role: 'assistant', content: words }), chunk({}, 'stop')],
  end: 'data: [DONE]\n\n',
}

interface GeminiPart {
  functionResponse?: { response: { output?: unknown } }
}
const part = (parts: object[]) => [
  { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }], modelVersion: 'scripted' },
]
const gemini: Dialect = {
  read: ({
    tools = [],
    contents = [],
  }: {
    tools?: { functionDeclarations?: { name: string }[] }[]
    contents?: { parts: GeminiPart[] }[]
  }) => ({
    tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
    results: contents
      .flatMap(({ parts }) => parts)
      .flatMap(({ functionResponse }) =>
        functionResponse === undefined ? [] : [textIn(functionResponse.response.output)],
      ),
  }),
  call: (calls) => part(calls.map(({ name, args }) => ({ functionCall: { name, args } }))),
  say: (words) => part([{ text: words }]),
}

const textIn = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((one: { text?: string }) => one.text ?? '').join('')
      : JSON.stringify(content)

/** By the path of the request, whatever base URL the agent puts before it. */
export function dialectOf(path: string): Dialect | undefined {
  if (path.includes('/messages')) return anthropic
  if (path.includes('/chat/completions')) return openAi
  return /generatecontent/i.test(path) ? gemini : undefined
}
