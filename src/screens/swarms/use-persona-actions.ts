import { ApiError } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import type { Persona } from '../../api/contract/personas.ts'
import type { Swarm } from '../../api/contract/swarms.ts'
import { deletion } from '../../components/collection/plain-parts.ts'
import type { Collection } from '../../components/collection/use-collection.ts'
import { NotSent, useWrite } from '../../hooks/use-write.tsx'
import { useDrafts } from './use-drafts.ts'
import { useSavePersona } from './use-records.ts'

const REFUSED = 'The service refuses it while a journey uses the persona. Runs keep what they were launched with.'

/** What can be done with the personas of a project. */
export function usePersonaActions({ show, on }: Collection<Persona>, projectId: string, swarm: Swarm) {
  const save = useSavePersona(projectId)
  const draft = useDrafts(projectId)
  const remove = useWrite(contract.personas.delete)
  return {
    add: async () => show(await save()),
    edit: on(save),
    draft: () => draft(swarm, 'personas'),
    remove: on(async ({ id, name }) => {
      await remove({
        ...deletion('persona', name, REFUSED),
        async work({ send }) {
          try {
            return await send(contract.personas.delete, { projectId, personaId: id })
          } catch (error) {
            // What stands in the way are its journeys, and not somebody's change.
            if (!(error instanceof ApiError && error.code === 'CONFLICT')) throw error
            throw new NotSent(`Not deleted: ${error.message}`)
          }
        },
      })
    }),
  }
}
