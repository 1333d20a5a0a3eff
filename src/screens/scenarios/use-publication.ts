import type { AccessNotes } from '../../domain/scenarios/notes.ts'
import { tookOffline } from '../../domain/scenarios/proof.ts'
import { publishEnvironment } from '../../domain/scenarios/publish.ts'
import { isAccessMode } from '../../domain/scenarios/table.ts'
import { modeLabel } from '../../domain/scenarios/labels.ts'
import { contract } from '../../api/contract/contract.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import type { ScenarioRow } from './columns.ts'
import { filledAgain, GO_ON, useFormDialog, type FormValues } from '../../components/form/form-dialog.tsx'
import { environmentField, modeField } from './forms.ts'
import { secretsOf } from '../../domain/scenarios/session-secrets.ts'
import { useRetainedSecrets } from './use-copies.ts'
import { targetOf } from '../../domain/scenarios/access-state.ts'
import type { Change, ChangeOptions } from './use-change.ts'
import { useEnvironments } from './use-environments.ts'
import type { ScenariosData } from './use-scenarios.ts'

/** Publishes, unpublishes and rebinds scenarios. */
export function usePublication(
  projectId: string,
  options: { data: ScenariosData; change: Change; onPublished: (scenarioId: string) => void },
) {
  const { change, onPublished } = options
  const { client, accessNotes } = useWorkspace()
  const ask = useFormDialog()
  const secrets = secretsOf(client)
  const keptHere = useRetainedSecrets()
  const environments = useEnvironments(projectId, options.data)
  const unpublish = useUnpublishing(projectId, change, environments)

  const publish = async (filled?: FormValues): Promise<void> => {
    const free = await environments.unpublished()
    if (!free) return
    const values = await ask({
      title: 'Publish an environment',
      about: free.about,
      ...filledAgain([environmentField(free.items), modeField(undefined, 'project_members')], filled),
      act: GO_ON,
    })
    if (!values || !isAccessMode(values['mode'])) return
    const environment = free.items.find(({ id }) => id === values['environmentId'])
    if (!environment) return
    const name = environment.name ?? environment.id
    const mode = values['mode']
    const changed = await change(
      {
        change: { do: 'publish', mode },
        target: undefined,
        title: `Publish "${name}"?`,
        action: `Publish for ${modeLabel(mode)}`,
        endpoint: contract.userTesting.publish,
        start: `Publishing ${name}…`,
        send: () => publishEnvironment(client, { projectId, environmentId: environment.id, body: { mode } }),
        done: ({ created }) => (created === false ? `${name} was published before.` : `Published ${name}.`),
        scenarioId: ({ id }) => id,
        followUp: ({ link }) => keptHere.link(link),
        retain({ id, link, accessVersion }) {
          secrets.keepLink(id, link, undefined)
          accessNotes?.note(id, { kind: 'environment', environmentId: environment.id })
          noteVersion(accessNotes, id, accessVersion, 'publish')
        },
      },
      { declined: () => publish(values) },
    )
    if (changed?.answer) onPublished(changed.answer.id)
  }

  const rebind = async (row: ScenarioRow, filled?: FormValues): Promise<void> => {
    const offered = await environments.forRebind(row)
    if (!offered) return
    const target = targetOf(row)
    const values = await ask({
      title: `Point ${target.name} elsewhere`,
      about: [{ text: 'Environments that are published by themselves are left out.', tone: 'muted' }],
      ...filledAgain([environmentField(offered.items, offered.own)], filled),
      act: GO_ON,
    })
    const environment = offered.items.find(({ id }) => id === values?.['environmentId'])
    if (!values || !environment) return
    const name = `${environment.name ?? environment.id} (revision ${environment.revision})`
    await change(
      {
        change: { do: 'rebind', environment: name },
        target,
        title: `Point "${target.name}" at "${environment.name ?? environment.id}"?`,
        action: 'Rebind',
        endpoint: contract.userTesting.rebind,
        start: `Pointing ${target.name} at ${name}…`,
        send: send =>
          send(contract.userTesting.rebind, {
            projectId,
            scenarioId: target.id,
            body: { environmentId: environment.id },
          }),
        done: () => `${target.name} points at ${name}.`,
        retain({ id, environmentId, accessVersion }) {
          accessNotes?.note(id, { kind: 'environment', environmentId: environmentId ?? environment.id })
          noteVersion(accessNotes, id, accessVersion, 'rebind')
        },
      },
      { declined: () => rebind(row, values) },
    )
  }

  return { publish, unpublish, rebind }
}

/** Takes a scenario offline; asks which environment it is, if that is unknown. */
function useUnpublishing(projectId: string, change: Change, environments: ReturnType<typeof useEnvironments>) {
  const { client, accessNotes } = useWorkspace()
  const secrets = secretsOf(client)
  return async (row: ScenarioRow, options?: ChangeOptions) => {
    const target = targetOf(row)
    const environmentId = row.environmentId ?? (await environments.chooseOf(row))
    if (environmentId === undefined) return undefined
    return await change(
      {
        change: { do: 'unpublish' },
        target,
        title: `Take "${target.name}" offline?`,
        action: 'Unpublish',
        endpoint: contract.userTesting.unpublish,
        start: `Taking ${target.name} offline…`,
        send: (send, now) =>
          send(contract.userTesting.unpublish, { projectId, environmentId: now.environmentId ?? environmentId }),
        done: answer =>
          tookOffline(answer) ? `${target.name} is offline.` : 'Nothing was published under that environment.',
        retain(answer) {
          if (!tookOffline(answer) || (answer.id ?? target.id) !== target.id) return
          secrets.forget(target.id)
          accessNotes?.forget(target.id)
        },
      },
      options,
    )
  }
}

export type Publication = ReturnType<typeof usePublication>

function noteVersion(
  notes: AccessNotes | undefined,
  id: string,
  value: number | null | undefined,
  by: 'publish' | 'rebind',
): void {
  if (value != null) notes?.note(id, { kind: 'version', value, by })
}
