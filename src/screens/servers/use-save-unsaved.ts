import { contract } from '../../api/contract/contract.ts'
import type { AnyEndpoint } from '../../api/contract/endpoint.ts'
import type { Project } from '../../api/contract/projects.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import type { FieldOption } from '../../components/form/field-input.ts'
import { choiceField } from '../../components/form/form-dialog.tsx'
import { useOpening } from '../../components/opening.tsx'
import { useAskUntilDone } from '../../components/records/use-ask-until-done.ts'
import type { KeyHandler, Unavailable } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { bodyOf, saveAtHome, type TakenAlong, type UnsavedServers } from '../../domain/servers/unsaved.ts'
import { plural } from '../../lib/format.ts'
import { unsavedKeys } from './bindings.ts'
import { nameIn, refusedName } from './use-saving.ts'

type OnServer = (act: (server: ProjectServer) => Promise<void>) => KeyHandler | Unavailable

/** In a workspace that ends with the program: saves the selected server in the local workspace. */
export function useSaveUnsaved(here: string, onServer: OnServer): void {
  const { client, unsaved, storedReaches } = useWorkspace()
  const askUntilDone = useAskUntilDone()
  const opening = useOpening(useRunTask())

  const makeProject = async ({ atHome }: UnsavedServers): Promise<Project | undefined> =>
    await askUntilDone<AnyEndpoint, Project>({
      form: () => ({
        title: 'New project of the local workspace',
        fields: [{ id: 'name', label: 'Name', required: true }],
        act: 'Create the project',
      }),
      act: values => ({
        endpoint: contract.projects.create,
        work: () => atHome(home => home.projects.create({ body: { name: nameIn(values) } })),
        rereads: false,
        start: `Creating ${nameIn(values)}…`,
        done: ({ name }) => `Created ${name}.`,
      }),
    })

  const save = async (server: ProjectServer): Promise<void> => {
    if (!unsaved || !storedReaches) return
    const { atHome } = unsaved
    const read = await opening({
      start: 'Opening the local workspace…',
      work: async () => ({
        stored: await storedReaches.of(server.id),
        projects: await atHome(home => home.items(contract.projects.list, {})),
      }),
    })
    if (!read?.stored) return
    const { stored } = read
    const options: FieldOption[] = read.projects.map(({ id, name }) => ({ value: id, label: name }))
    await askUntilDone<AnyEndpoint, TakenAlong>({
      form: () => ({
        title: `Save ${server.name}`,
        fields: [
          { id: 'name', label: 'Name', required: true, initial: server.name },
          choiceField('project', 'Project', options, { required: true }),
        ],
        effect: () => [
          {
            text:
              'It is saved with all that it was opened with, its suites, its calls and its sign-in, whose later ' +
              'tokens come there alone. Secrets are sealed there; runs stay behind.',
            tone: 'muted',
          },
        ],
        act: 'Save the server',
      }),
      making: [
        {
          field: 'project',
          label: 'a new project…',
          async make() {
            const made = await makeProject(unsaved)
            if (!made) return undefined
            const option = { value: made.id, label: made.name }
            options.push(option)
            return option
          },
        },
      ],
      act(values) {
        const name = nameIn(values)
        const projectId = values['project'] ?? ''
        const project = options.find(({ value }) => value === projectId)?.label
        return {
          endpoint: contract.servers.create,
          work: () =>
            saveAtHome(
              unsaved,
              { client, server: { ...server, projectId: here } },
              { projectId, body: bodyOf(server, stored, name) },
            ),
          rereads: false,
          start: `Saving ${name}…`,
          done: taken => savedSentence(`${name} in ${project} of the local workspace`, taken),
        }
      },
      refused: refusedName,
    })
  }

  useBindings(unsavedKeys, { save: onServer(save) }, { active: unsaved !== undefined })
}

function savedSentence(what: string, { suites, calls, signedIn, left }: TakenAlong) {
  const along = [
    ...(suites > 0 ? [plural(suites, 'suite')] : []),
    ...(calls > 0 ? [plural(calls, 'call')] : []),
    ...(signedIn ? ['its sign-in'] : []),
  ]
  const saved = `Saved ${what}${along.length > 0 ? ` with ${along.join(', ')}` : ''}; mcpdeck servers opens it there.`
  return left.length > 0 ? { tone: 'warn' as const, text: `${saved} Left behind: ${left.join(' ')}` } : saved
}
