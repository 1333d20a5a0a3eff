import { contract } from '../../api/contract/contract.ts'
import type { AnyEndpoint, InputOf } from '../../api/contract/endpoint.ts'
import type { Project } from '../../api/contract/projects.ts'
import { optionsOf, type FormSpec, type FormValues } from '../../components/form/form-dialog.tsx'
import { contractFields } from '../../components/records/contract-form.ts'
import { useRecordForm } from '../../components/records/use-record-form.ts'
import { useWrite } from '../../hooks/use-write.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'

type ProjectBody = InputOf<typeof contract.projects.create>['body']

/** Creates, changes and deletes projects; the caller changes the place. */
export function useProjectChanges(on: { opened: (project: Project) => void; deleted: () => void }) {
  const { client } = useWorkspace()
  const saveRecord = useRecordForm()
  const removeProject = useWrite(contract.projects.delete)

  /** Returns the current state of a project from the list, because the service has no route to read a single one. */
  const now = async (stored: Project): Promise<Project> =>
    (await client.items(contract.projects.list, {})).find(({ id }) => id === stored.id) ?? stored

  const save = (stored?: Project): Promise<Project | undefined> =>
    saveRecord<Project, AnyEndpoint, Project>({
      ...(stored && { record: stored, reread: () => now(stored) }),
      isUnguarded: true,
      form: projectForm,
      act: values => ({
        endpoint: stored ? contract.projects.update : contract.projects.create,
        work: ({ send }) =>
          stored
            ? send(contract.projects.update, { projectId: stored.id, body: bodyOf(values, true) })
            : send(contract.projects.create, { body: bodyOf(values, false) as ProjectBody }),
        start: `Saving ${values['name'] ?? stored?.name}…`,
        done: ({ name }) => (stored ? `Changed ${name}.` : `Created ${name}.`),
      }),
    })

  return {
    async add() {
      const made = await save()
      if (made) on.opened(made)
    },
    edit: (stored: Project) => save(stored),
    async remove({ id, name }: Project) {
      const gone = await removeProject({
        confirm: {
          title: `Delete project "${name}"?`,
          lines: ['Its servers, suites, runs, environments and scenarios are deleted with it. Visitors lose access.'],
          action: 'Delete the project',
          word: name,
        },
        input: { projectId: id },
        start: `Deleting ${name}…`,
        done: () => `Deleted ${name}.`,
      })
      if (gone) on.deleted()
    },
  }
}

function projectForm(stored: Project | undefined): FormSpec {
  return {
    title: stored ? `Edit ${stored.name}` : 'New project',
    fields: contractFields(contract.projects.create, stored ?? { visibility: 'private' }, {
      name: {},
      description: { input: { kind: 'lines' } },
      icon: {},
      visibility: {
        label: 'Visibility',
        input: { kind: 'choice', none: 'not known', options: optionsOf(['private', 'public']) },
      },
    }),
    act: stored ? 'Save the changes' : 'Create the project',
  }
}

/** Returns the fields of the request; an empty text clears a field in a change, and is left out for a new project. */
function bodyOf({ name, ...rest }: FormValues, isChange: boolean) {
  const given = Object.entries(rest).filter(([, value]) => isChange || value !== '')
  return { ...(name !== undefined && { name: name.trim() }), ...Object.fromEntries(given) }
}
