import { linkGrants } from '../../domain/scenarios/labels.ts'
import { scenarioUrl, type ScenarioLink } from '../../api/contract/scenarios.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { useCopy } from '../../components/copy.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { scenariosKeys } from './bindings.ts'
import type { ScenarioRow } from './columns.ts'
import { secretsOf } from '../../domain/scenarios/session-secrets.ts'

/** Says where a secret from an answer is, and how to see or replace it. */
export function useRetainedSecrets() {
  const key = useKeyName()
  const kept = (what: string, copies: string): string =>
    `The ${what} came with the answer: ${copies} copies it. It is kept for this session only and never written to disk.`
  return {
    link: (link: ScenarioLink | null | undefined): string =>
      scenarioUrl(link) === undefined
        ? `The answer does not have the link: ${key(scenariosKeys, 'rotate')} creates a new one, and the ` +
          'current one stops working.'
        : kept('link', key(scenariosKeys, 'copyLink')),
    invitation: (): string => kept('invitation', key(scenariosKeys, 'copyInvitation')),
  }
}

/** Copies what grants access, and says what it grants. */
export function useSecretCopies() {
  const { client } = useWorkspace()
  const copy = useCopy()
  const secrets = secretsOf(client)
  const invitationOf = ({ scenario }: ScenarioRow) =>
    secrets.invitationsOf(scenario.id, toEpochMs(scenario.updatedAt))[0]
  return {
    /** The latest invitation returned in this session. */
    invitationOf,
    copyLink: ({ scenario, link }: ScenarioRow): void => {
      if (link !== undefined) copy(link, `Share link copied. ${linkGrants(scenario.mode)}`)
    },
    copyInvitation: (row: ScenarioRow): void => {
      const latest = invitationOf(row)
      if (!latest) return
      const grants = latest.isCurrent
        ? `Anyone who has it enters as ${latest.member}.`
        : `It may no longer work: someone else changed the scenario since ${latest.member} was invited.`
      copy(latest.code, `Invitation copied. ${grants}`)
    },
  }
}
