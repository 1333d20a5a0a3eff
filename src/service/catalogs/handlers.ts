import { ServiceError } from '../core/errors.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import type { ClientCatalog, ModelCatalog } from '../../api/contract/catalogs.ts'
import { CLIENT_TEMPLATES } from '../../api/contract/clients.ts'
import { configOfTemplate } from '../clients/clients.ts'
import * as z from 'zod'
import { shape } from '../../api/contract/shapes.ts'
import { messageOf, oneLine } from '../core/one-line.ts'
import type { ModelKind, ModelSettings } from '../models/endpoint.ts'

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

/** Templates of clients that show MCP Apps according to their vendors (see `provenance`). This was not tested here. */
const RENDER_MCP_APPS: ReadonlySet<string> = new Set(['mcpjam', 'claude', 'chatgpt', 'vscode'])

/**
 * Returns the clients that can be created from templates, with their initial settings (OpenAPI file,
 * `getHostCompatCatalog`).
 */
function clientCatalog(): ClientCatalog {
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

/** Handles plugins. The local workspace cannot install any, so there are none. */
export function pluginHandlers(): Handlers['plugins'] {
  return {
    list: () => ({ items: [] }),
    version({ params }) {
      throw new ServiceError('NOT_FOUND', `There is no plugin version ${params.pluginVersionId}.`)
    },
  }
}

/** Handles images. The local workspace cannot build any, so there are none. */
export function imageHandlers(): Handlers['images'] {
  const none = ({ params }: { params: { imageId: string } }): never => {
    throw new ServiceError('NOT_FOUND', `There is no sandbox image ${params.imageId} in this project.`)
  }
  return { list: () => ({ items: [] }), get: none, builds: none }
}

/** Milliseconds to wait for the list of the model endpoint, and maximum size of the list in bytes. */
const LIST_MS = 3000
const MOST_BYTES = 2 * 1024 * 1024
const MOST_MODELS = 1000

const Listed = shape(() =>
  z.object({
    data: z.array(z.object({ id: z.string().min(1), display_name: z.string().optional() })),
    has_more: z.boolean().optional(),
  }),
)

const KEY_HEADERS: Record<ModelKind, (key: string) => Record<string, string>> = {
  'openai-compatible': key => ({ authorization: `Bearer ${key}` }),
  anthropic: key => ({ 'x-api-key': key }),
}

/**
 * Returns the models for prompts: the configured model, and the models that its endpoint lists. If the list cannot be
 * read, a note says why.
 */
async function modelCatalog(settings: ModelSettings | undefined, signal: AbortSignal): Promise<ModelCatalog> {
  if (!settings)
    return {
      items: [],
      endpoint: null,
      note:
        'No model is configured: set MCPDECK_MODEL_BASE_URL (any OpenAI-compatible or Anthropic endpoint) and ' +
        'MCPDECK_MODEL.',
    }
  const { kind, baseUrl, model } = settings
  const listing = await listModels(settings, signal)
  const others = listing.models.filter(({ id }) => id !== model)
  const configured = listing.models.find(({ id }) => id === model) ?? (model === undefined ? [] : { id: model })
  return {
    items: [configured, others].flat().map(entry => ({ ...entry, isDefault: entry.id === model })),
    endpoint: { kind, baseUrl },
    ...(listing.problem !== undefined && { note: listing.problem }),
  }
}

/** `isWhole` means that the endpoint has no other models. `problem` says why there is no list. */
type Listing = { models: { id: string; name?: string }[]; isWhole: boolean; problem?: string }

/**
 * Reads the models that an endpoint lists. If they cannot be read, `problem` says why. Rejects only if the signal is
 * aborted, with its reason.
 */
export async function listModels({ kind, baseUrl, apiKey }: ModelSettings, signal: AbortSignal): Promise<Listing> {
  const headers = {
    ...(kind === 'anthropic' && { 'anthropic-version': '2023-06-01' }),
    ...(apiKey !== undefined && KEY_HEADERS[kind](apiKey)),
  }
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/models`, {
      headers,
      // A redirect would send the key to another host.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)]),
    })
    if (!response.ok) throw new Error(`it answered HTTP ${response.status}`)
    const { data, has_more: hasMore = false } = Listed().parse(JSON.parse(await readText(response)))
    const models = data
      .slice(0, MOST_MODELS)
      .map(({ id, display_name: name }) => ({ id: oneLine(id), ...(name !== undefined && { name: oneLine(name) }) }))
    return { models, isWhole: !hasMore && data.length <= MOST_MODELS }
  } catch (error) {
    signal.throwIfAborted()
    const isOther = error instanceof z.ZodError || error instanceof SyntaxError
    const why = isOther ? 'the answer is not a list' : messageOf(error)
    const problem = `The model list of the endpoint cannot be read: ${why}.`
    // The runtime's error quotes a header that cannot be sent, and the header may contain the key.
    return { models: [], isWhole: false, problem: apiKey ? problem.replaceAll(apiKey, '(key)') : problem }
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength
    if (length > MOST_BYTES) throw new Error(`the answer is larger than ${MOST_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Handles checks of pull requests. They need an app that only the hosted service can install on the code host. */
export function checkRepoHandlers(): Handlers['checkRepos'] {
  return {
    list({ caller: { organizationId }, params }) {
      if (params.organizationId !== organizationId)
        throw new ServiceError('NOT_FOUND', `There is no organization ${params.organizationId}.`)
      return { organizationId, available: false, items: [], connectable: null }
    },
  }
}
