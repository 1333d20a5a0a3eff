import type { EvalRun } from '../../../api/contract/runs.ts'
import { startedServers } from '../../../domain/runs/started-servers.ts'
import { UNKNOWN } from '../../../lib/format.ts'
import type { Field } from '../../../components/lines.ts'
import { ownValue } from '../../../lib/own-value.ts'

const CLIENT_SOURCES: Readonly<Record<string, string>> = {
  environment: 'of the environment',
  attached_host: 'attached to the suite',
  suite_default: 'the suite’s default',
  sdk: 'the harness that reported it',
}

const MODEL_SOURCES: Readonly<Record<string, string>> = {
  case: 'the cases say it',
  client_default: 'the client’s default',
  override: 'chosen at the launch',
}

/** Returns where the run was executed, with what, and who launched it. */
export function originFields(run: EvalRun, models: readonly string[]): Field[] {
  const { environment, client, modelSource } = run
  const model = models.length > 0 ? models.join(', ') : client?.modelId
  const from = ownValue(MODEL_SOURCES, modelSource) ?? modelSource ?? undefined
  const source = ownValue(CLIENT_SOURCES, client?.source) ?? client?.source ?? undefined
  return [
    [
      'Environment',
      environment
        ? `${environment.name ?? environment.id}, revision ${environment.revision ?? UNKNOWN}`
        : 'none, the saved server selection',
    ],
    ['Client', client && [client.name, client.hostStyle, source].filter(Boolean).join(', ')],
    ['Model', [model, from].filter(Boolean).join(', ')],
    ['Engine', run.executionEngine],
    ...startedServers(run.startedServers).map(([name, words]): Field => ['Server', `${name}, ${words}`]),
    ['Launched by', [run.source, launcherOf(run)].filter(Boolean).join(', ')],
    ['Notes', run.notes],
  ]
}

/** Returns the launching process, which is not the MCP client; its format is not documented. */
function launcherOf(run: EvalRun): string | undefined {
  const { client } = Object(run['launcher']) as { client?: unknown }
  if (typeof client === 'string') return client
  const { name } = Object(client) as { name?: unknown }
  return typeof name === 'string' ? name : undefined
}
