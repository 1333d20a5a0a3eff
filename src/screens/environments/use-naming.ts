import { isMissing } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import type { Environment } from '../../api/contract/environments.ts'
import { environmentName } from '../../components/records/environment-form.ts'
import { askedAgain, useAskUntilDone } from '../../components/records/use-ask-until-done.ts'
import { choiceField } from '../../components/form/form-dialog.tsx'
import { useOpening } from '../../components/opening.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { readEnvironmentUses, type EnvironmentUse } from '../../domain/environments/uses.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useMostRead } from './uses.tsx'

type Nameless = { environment: Environment; uses: readonly EnvironmentUse[] }

/**
 * Names a nameless environment. Lists leave these out, so they are found through what uses them, unless one is
 * selected. Resolves to the named environment.
 */
export function useNaming(projectId: string): (chosen: Environment | undefined) => Promise<Environment | undefined> {
  const { client } = useWorkspace()
  const most = useMostRead()
  const opening = useOpening(useRunTask())
  const toasts = useToasts()
  const askUntilDone = useAskUntilDone()
  const get = (environmentId: string) => client.environments.get({ projectId, environmentId })

  const find = async (): Promise<{ found: Nameless[]; unread: readonly string[] }> => {
    const [listed, { uses, unread }] = await Promise.all([
      client.items(contract.environments.list, { projectId, includeArchived: true }),
      readEnvironmentUses(client, projectId, { most }),
    ])
    const known = new Set(listed.map(({ id }) => id))
    const ids = [...new Set(uses.flatMap(({ environmentIds }) => environmentIds))].filter(id => !known.has(id))
    const found: Nameless[] = []
    for (const id of ids) {
      try {
        const environment = await get(id)
        if (environment.name == null && environment.archived !== true)
          found.push({ environment, uses: uses.filter(({ environmentIds }) => environmentIds.includes(id)) })
      } catch (error) {
        if (!isMissing(error)) throw error
      }
    }
    return { found, unread }
  }

  return async chosen => {
    const isOwn = chosen && chosen.name == null && chosen.archived !== true
    const read = isOwn
      ? { found: [{ environment: chosen, uses: [] }], unread: [] }
      : await opening({ start: 'Looking for environments without a name…', work: find })
    if (!read) return undefined
    const { unread } = read
    const found = new Map(read.found.map(each => [each.environment.id, each]))
    if (read.found.length === 0) {
      if (unread.length === 0) toasts.show('ok', 'No suite, journey, swarm or scenario uses a nameless environment.')
      else toasts.show('warn', ['No nameless environment was found in what was read.', ...unread].join(' '))
      return undefined
    }
    const options = read.found.map(({ environment, uses }) => ({
      value: environment.id,
      label: environment.modelId ?? environmentName(environment),
      detail: uses.length === 0 ? environment.id : `used by ${uses.map(({ name }) => name).join(', ')}`,
    }))
    return await askUntilDone({
      form: () => ({
        title: 'Name an environment',
        about: unread.map(text => ({ text, tone: 'warn' })),
        fields: [
          { id: 'name', label: 'Name', required: true, note: 'Must be unique in the project.' },
          { id: 'description', label: 'Description' },
          choiceField('environmentId', 'Environment', options, {
            required: true,
            note: 'It keeps its id and can be edited afterwards.',
          }),
        ],
        act: 'Save the name',
      }),
      act({ name = '', description = '', environmentId = '' }) {
        const { revision } = found.get(environmentId)!.environment
        return {
          endpoint: contract.environments.name,
          input: {
            projectId,
            environmentId,
            body: { expectedRevision: revision, name: name.trim(), ...(description !== '' && { description }) },
          },
          start: `Naming it ${name.trim()}…`,
          done: () => `Named the environment ${name.trim()}.`,
        }
      },
      async refused(error, values) {
        const id = values['environmentId'] ?? ''
        const now = await opening({ start: 'Reading the current version…', work: () => get(id) })
        if (now) found.set(id, { environment: now, uses: [] })
        return askedAgain(error, values)
      },
    })
  }
}
