import type * as z from 'zod'
import type { ClientCreateRequest } from '../../api/contract/clients.ts'
import type { ClientConfig } from './rows.ts'

type Template = NonNullable<z.output<typeof ClientCreateRequest>['template']>
type Theme = NonNullable<z.output<typeof ClientCreateRequest>['theme']>

/** The model that a client of each kind starts with; every config can name another one. */
const MODELS: Readonly<Record<Template, string>> = {
  mcpjam: 'openai/gpt-5',
  claude: 'anthropic/claude-sonnet-4.5',
  'claude-code': 'anthropic/claude-sonnet-4.5',
  chatgpt: 'openai/gpt-5',
  mistral: 'mistral/mistral-large-latest',
  cursor: 'anthropic/claude-sonnet-4.5',
  codex: 'openai/gpt-5',
  copilot: 'openai/gpt-5',
  vscode: 'openai/gpt-5',
  agentcore: 'anthropic/claude-sonnet-4.5',
  n8n: 'openai/gpt-5',
  perplexity: 'perplexity/sonar-pro',
}

/** The config document that a template stands for; its servers are chosen afterwards. */
export function configOfTemplate(template: Template, theme: Theme = 'light'): ClientConfig {
  return { hostStyle: template, theme, modelId: MODELS[template], serverIds: [], optionalServerIds: [] }
}
