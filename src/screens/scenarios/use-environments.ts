import { useConfirm } from '../../components/confirm.tsx'
import { useSaveEnvironment } from '../../components/records/use-save-environment.ts'
import { contract } from '../../api/contract/contract.ts'
import { useNotify } from '../../hooks/notify.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useOpening } from '../../components/opening.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import type { ScenarioRow } from './columns.ts'
import { GO_ON, useFormDialog, type FormSpec } from '../../components/form/form-dialog.tsx'
import { environmentField } from './forms.ts'
import type { ScenariosData } from './use-scenarios.ts'

/** Maximum number of scenarios whose environment is read before an action that depends on it. */
const MOST_ASKED = 10

/** Returns functions that read, or ask, which environments an action may use. */
export function useEnvironments(projectId: string, { rows, isClosed }: ScenariosData) {
  const { client } = useWorkspace()
  const opening = useOpening(useRunTask())
  const notify = useNotify()
  const ask = useFormDialog()
  const confirm = useConfirm()
  const saveEnvironment = useSaveEnvironment(projectId)
  /** Returns the environment of each scenario; unknown ones are read while the feature is on. */
  const bound = async (): Promise<ReadonlyMap<string, string>> => {
    const known = new Map(rows.flatMap(({ scenario, environmentId: id }) => (id ? [[scenario.id, id]] : [])))
    if (isClosed) return known
    const missing = rows.filter(({ scenario }) => !known.has(scenario.id)).slice(0, MOST_ASKED)
    const found = await Promise.all(
      missing.map(({ scenario }) =>
        client.userTesting.get({ projectId, scenarioId: scenario.id }).catch(() => undefined),
      ),
    )
    for (const scenario of found) if (scenario?.environmentId) known.set(scenario.id, scenario.environmentId)
    return known
  }
  const boundTo = async (except?: ScenarioRow) => {
    const all = new Map(await bound())
    const own = except && all.get(except.scenario.id)
    if (except) all.delete(except.scenario.id)
    return { others: new Set(all.values()), own, isWhole: all.size + (except ? 1 : 0) >= rows.length }
  }

  /** Returns the environments that are not archived, and those used by scenarios. */
  const read = (except?: ScenarioRow) =>
    opening({
      start: 'Reading the environments…',
      work: async () => {
        const [items, known] = await Promise.all([
          client.items(contract.environments.list, { projectId }),
          boundTo(except),
        ])
        return { all: items.filter(({ archived }) => archived !== true), ...known }
      },
    })

  return {
    async unpublished() {
      const found = await read()
      if (!found) return undefined
      const { all, others: published, isWhole } = found
      const items = all.filter(({ id }) => !published.has(id))
      if (items.length === 0) {
        const isAgreed = await confirm({
          title: 'There is no environment to publish',
          lines: [
            all.length === 0
              ? 'This project has no environment yet.'
              : 'Every environment of this project is published already.',
            'An environment is a client with its servers and settings.',
          ],
          action: 'Create one now',
        })
        const made = isAgreed && (await saveEnvironment())
        return made ? { items: [made] } : undefined
      }
      const about: FormSpec['about'] = isWhole
        ? [{ text: 'Environments that are published already are left out.', tone: 'muted' }]
        : [{ text: 'Some of them may already be published; publishing again changes nothing.', tone: 'warn' }]
      return { items, about }
    },
    async forRebind(row: ScenarioRow) {
      const found = await read(row)
      return found && { items: found.all.filter(({ id }) => !found.others.has(id)), own: found.own }
    },
    /** While the feature is off the service does not return a scenario's environment, which unpublishing needs. */
    async chooseOf(row: ScenarioRow): Promise<string | undefined> {
      const found = await read(row)
      if (!found) return undefined
      const { hostId } = row.scenario
      const items = found.all.filter(
        environment => !found.others.has(environment.id) && (hostId == null || environment.hostId === hostId),
      )
      if (items.length === 0) {
        notify('warn', 'No environment matches this scenario, and unpublishing has to name it.')
        return undefined
      }
      const values = await ask({
        title: `Which environment is "${row.scenario.name}"?`,
        about: [
          { text: 'The service does not return it now, and unpublishing needs the environment.', tone: 'warn' },
          { text: 'Listed are those with the same client that no other scenario is known to use.', tone: 'muted' },
        ],
        fields: [environmentField(items)],
        act: GO_ON,
      })
      return values?.['environmentId']
    },
  }
}
