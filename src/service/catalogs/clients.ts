import type { ClientCatalog } from '../../api/contract/catalogs.ts'
import { CLIENT_TEMPLATES } from '../../api/contract/clients.ts'
import { configOfTemplate } from '../clients/templates.ts'

const LABELS: Readonly<Record<(typeof CLIENT_TEMPLATES)[number], string>> = {
  mcpjam: 'MCPJam',
  claude: 'Claude',
  'claude-code': 'Claude Code',
  chatgpt: 'ChatGPT',
  mistral: 'Mistral',
  cursor: 'Cursor',
  codex: 'Codex',
  copilot: 'Copilot',
  vscode: 'VS Code',
  agentcore: 'AgentCore',
  n8n: 'n8n',
  perplexity: 'Perplexity',
}

/** Those whose makers announced it; nothing of it was observed here, which `provenance` says. */
const RENDER_MCP_APPS: ReadonlySet<string> = new Set(['mcpjam', 'claude', 'chatgpt', 'vscode'])

/** The clients that can be made from a template, with the settings they are made with. */
export function clientCatalog(): ClientCatalog {
  const hostsById = Object.fromEntries(
    CLIENT_TEMPLATES.map(id => [
      id,
      {
        id,
        label: LABELS[id],
        provenance: 'assumed',
        rendersMcpApps: RENDER_MCP_APPS.has(id),
        hostStyle: id,
        config: configOfTemplate(id),
      },
    ]),
  )
  return { schemaVersion: 1, version: 0, contentHash: '', publishedAt: 0, source: 'bundled', catalog: { hostsById } }
}
