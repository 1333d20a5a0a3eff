import { modelCatalog } from './models.ts'
import { ServiceError } from '../core/errors.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import type { ClientCatalog } from '../../api/contract/catalogs.ts'
import { CLIENT_TEMPLATES } from '../../api/contract/clients.ts'
import { configOfTemplate } from '../clients/records.ts'

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

/**
 * The clients that can be made from a template. Beside what is known of it, an entry has the settings that it is made
 * with, in the second version of the document (OpenAPI file, `getHostCompatCatalog`).
 */
export function clientCatalog(): ClientCatalog {
  const hostsById = Object.fromEntries(
    CLIENT_TEMPLATES.map(id => [
      id,
      {
        ...configOfTemplate(id),
        id,
        label: LABELS[id],
        provenance: 'assumed',
        rendersMcpApps: RENDER_MCP_APPS.has(id),
        hostStyle: id,
      },
    ]),
  )
  return { schemaVersion: 2, version: 0, contentHash: '', publishedAt: 0, source: 'bundled', catalog: { hostsById } }
}

export function modelHandlers({ models }: ServiceContext): Handlers['models'] {
  return { list: ({ signal }) => modelCatalog(models, signal) }
}

export function hostCatalogHandlers(): Handlers['hostCatalog'] {
  return { get: clientCatalog }
}

/** Nothing installs plugins here, so there are none. */
export function pluginHandlers(): Handlers['plugins'] {
  return {
    list: () => ({ items: [] }),
    version({ params }) {
      throw new ServiceError('NOT_FOUND', `There is no plugin version ${params.pluginVersionId}.`)
    },
  }
}

/** Nothing builds images here, so there are none. */
export function imageHandlers(): Handlers['images'] {
  const none = ({ params }: { params: { imageId: string } }): never => {
    throw new ServiceError('NOT_FOUND', `There is no sandbox image ${params.imageId} in this project.`)
  }
  return { list: () => ({ items: [] }), get: none, builds: none }
}
