import { linkGrants } from '../../api/access/words.ts'
import { useCopy } from '../../components/copy.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import type { ScenarioRow } from './columns.ts'
import { secretsOf } from './secrets.ts'

/** Copying what lets others in; what it grants is said with it. */
export function useSecretCopies() {
  const { client } = useWorkspace()
  const copy = useCopy()
  const secrets = secretsOf(client)
  return {
    copyLink: ({ scenario, link }: ScenarioRow): void => {
      if (link !== undefined) copy(link, `Share link copied. ${linkGrants(scenario.mode)}`)
    },
    copyInvitation: ({ scenario }: ScenarioRow): void => {
      const [latest] = secrets.invitationsOf(scenario.id)
      if (latest) copy(latest.code, `Invitation copied. Whoever has it enters as ${latest.member}.`)
    },
  }
}
