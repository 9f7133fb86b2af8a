import { agentSnippets } from '../src/web/keys/create/snippets.ts'

const languages: Record<string, string> = { '{': 'json', '[': 'toml' }

/** What the settings pages offer for each MCP client, as it stands in the guide. */
export const clientConfigurations = (): string =>
  agentSnippets({ token: 'vtr_…', serviceUrl: 'http://127.0.0.1:3000', slug: 'acme' })
    .map(
      ({ title, where, text }) =>
        `**${title}.** ${where}:\n\n\`\`\`${languages[text.charAt(0)] ?? 'sh'}\n${text}\n\`\`\``,
    )
    .join('\n\n')
