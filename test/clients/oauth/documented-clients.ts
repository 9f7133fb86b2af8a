export interface ClientMetadata {
  redirect_uris: string[]
  [member: string]: unknown
}

export interface ClientDocument extends ClientMetadata {
  client_id: string
}

/** What clients that cannot run here send, according to their vendors' documentation, sources and bug reports. */
export interface DocumentedClient {
  name: string
  /** Where it wants the code. */
  callback: string
  /** The body with which it registers itself. */
  registers?: ClientMetadata
  /** Its client ID metadata document, whose URL is its id. */
  document?: ClientDocument
  /** What it shows the person as the host that gets the token. */
  host: string
  /** Scopes that it adds to the requested ones. */
  extraScopes?: string[]
  state: string
}

const VSCODE_STATE = 'vscode://dynamicauthprovider/127.0.0.1/authorize?nonce%3D5b1e%26state%3Dey/lnTwSm9FUcQN/Qds+Cg=='

export const grants = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] }

const vscodeRegistration = {
  client_name: 'Visual Studio Code',
  client_uri: 'https://code.visualstudio.com',
  ...grants,
  redirect_uris: [
    'https://insiders.vscode.dev/redirect',
    'https://vscode.dev/redirect',
    'http://127.0.0.1/',
    'http://127.0.0.1:33418/',
  ],
  scope: 'workspace:read tasks:read',
  token_endpoint_auth_method: 'none',
  application_type: 'native',
}

const cursorRegistration = {
  client_name: 'Cursor',
  redirect_uris: [
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'https://www.cursor.com/agents/mcp/oauth/callback',
    'http://localhost:8787/callback',
  ],
  ...grants,
  token_endpoint_auth_method: 'none',
}

export const documentedClients: DocumentedClient[] = [
  {
    name: 'ChatGPT, by its metadata document',
    callback: 'https://chatgpt.com/connector/oauth/OUbdUMlL15Ct',
    // It prefers its own key, and falls back to none if a server offers nothing else.
    document: {
      client_id: 'https://chatgpt.com/oauth/OUbdUMlL15Ct/client.json',
      client_name: 'ChatGPT',
      client_uri: 'https://chatgpt.com',
      redirect_uris: ['https://chatgpt.com/connector/oauth/OUbdUMlL15Ct'],
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
    },
    host: 'chatgpt.com',
    extraScopes: ['offline_access'],
    state: 'oauth_s_6911c9f0a4b08191',
  },
  {
    name: 'ChatGPT, registering itself',
    callback: 'https://chatgpt.com/connector_platform_oauth_redirect',
    registers: {
      client_name: 'ChatGPT',
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
      ...grants,
      token_endpoint_auth_method: 'client_secret_post',
    },
    host: 'chatgpt.com',
    state: 'oauth_s_6911c9f0a4b08191',
  },
  {
    name: 'Claude, by its metadata document',
    callback: 'https://claude.ai/api/mcp/auth_callback',
    document: {
      client_id: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'],
      ...grants,
      token_endpoint_auth_method: 'none',
    },
    host: 'claude.ai',
    extraScopes: ['claudeai'],
    state: 'Zx0k-Gq1mC4tX9vS7w',
  },
  {
    name: 'Claude, registering itself',
    callback: 'https://claude.ai/api/mcp/auth_callback',
    registers: { client_name: 'Claude', redirect_uris: ['https://claude.ai/api/mcp/auth_callback'] },
    host: 'claude.ai',
    state: 'Zx0k-Gq1mC4tX9vS7w',
  },
  {
    name: 'Copilot CLI, on another port than its metadata document names',
    callback: 'http://127.0.0.1:60005/',
    document: {
      client_id: 'https://github.com/copilot/cli/client-metadata.json',
      client_name: 'GitHub Copilot CLI',
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1:33418/'],
    },
    host: '127.0.0.1',
    state: 'b2f2',
  },
  {
    name: 'VS Code, by its metadata document',
    callback: 'http://127.0.0.1:33418/',
    document: {
      ...vscodeRegistration,
      client_id: 'https://vscode.dev/oauth/client-metadata.json',
      redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
    },
    host: '127.0.0.1',
    state: 'ey/lnTwSm9FUcQN/Qds+Cg==',
  },
  {
    name: 'VS Code, registering itself, on another port because 33418 is taken',
    callback: 'http://127.0.0.1:59656/',
    registers: vscodeRegistration,
    host: '127.0.0.1',
    state: 'ey/lnTwSm9FUcQN/Qds+Cg==',
  },
  {
    name: 'VS Code, in a browser or on a remote machine',
    callback: 'https://vscode.dev/redirect',
    registers: vscodeRegistration,
    host: 'vscode.dev',
    state: VSCODE_STATE,
  },
  {
    name: 'Cursor, back to the app',
    callback: 'cursor://anysphere.cursor-mcp/oauth/callback',
    registers: cursorRegistration,
    host: 'cursor:',
    state: 'eyJpZCI6InVzZXItdml0cmluZSJ9',
  },
  {
    name: 'Cursor’s agents on the web',
    callback: 'https://www.cursor.com/agents/mcp/oauth/callback',
    registers: cursorRegistration,
    host: 'www.cursor.com',
    state: 'eyJpZCI6InVzZXItdml0cmluZSJ9',
  },
]
