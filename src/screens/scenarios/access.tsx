import { useMemo, useSyncExternalStore } from 'react'
import type { MemberNote } from '../../domain/scenarios/notes.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { fieldLines, heading } from '../../components/lines.ts'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { scenariosKeys } from './bindings.ts'
import { formatAgo } from '../../lib/format.ts'
import { admittedLines, modeField, never, versionField, versionLines, zero } from './overview.tsx'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { masked, secretsOf, type Invitation, type Known } from '../../domain/scenarios/session-secrets.ts'
import type { TabProps } from './tab.ts'

function memberLines(members: readonly MemberNote[], now: number): Line[] {
  if (members.length === 0)
    return [{ text: 'No members were invited or removed from this machine.', tone: 'muted', indent: 2 }]
  return members.map(({ member, change, at }) => ({
    text: `${change === 'invited' ? '+' : '-'} ${member}  ${change} ${formatAgo(at, now)}`,
    tone: change === 'invited' ? ('plain' as const) : ('muted' as const),
    indent: 2,
  }))
}

function invitationLines(invitations: readonly Known<Invitation>[], shown: boolean): Line[] {
  return invitations.map(({ member, code, isCurrent }) => ({
    text: `${member}  ${masked(code, shown)}${isCurrent ? '' : '  may no longer work: the scenario was changed since'}`,
    indent: 2,
    ...(!isCurrent && { tone: 'warn' as const }),
  }))
}

/** Shows who may enter, as far as known: what the service returns, and what was done from here. */
export function Access(props: TabProps) {
  const { row, input } = props
  const { accessNotes, client } = useWorkspace()
  const { symbols } = useTheme()
  const key = useKeyName()
  const secrets = secretsOf(client)
  const secretsVersion = useSyncExternalStore(secrets.subscribe, secrets.version)
  const notesVersion = useSyncExternalStore(accessNotes?.subscribe ?? never, accessNotes?.version ?? zero)
  const lines = useMemo(() => {
    const now = Date.now()
    const notes = accessNotes?.of(input.scenarioId)
    const invitations = secrets.invitationsOf(input.scenarioId, toEpochMs(row.scenario.updatedAt))
    return [
      ...fieldLines([modeField(row.scenario.mode, symbols), versionField(notes)]),
      ...admittedLines(row.scenario.mode),
      ...versionLines(notes, now),
      { text: 'The service returns accessVersion only on publish and rebind.', tone: 'muted' as const },
      '',
      heading('Members, as far as is known here'),
      {
        text: 'The service does not list members. This is what was done from this machine with this profile.',
        tone: 'muted' as const,
        indent: 2,
      },
      ...memberLines(notes?.members ?? [], now),
      ...(invitations.length > 0
        ? [
            '',
            heading('Invitations of this session'),
            {
              text:
                `Each lets one person in; pass it on yourself. ${key(scenariosKeys, 'copyInvitation')} ` +
                'copies the latest.',
              tone: 'muted' as const,
              indent: 2,
            },
            ...invitationLines(invitations, props.showsSecrets),
          ]
        : []),
    ]
    // oxlint-disable-next-line react/exhaustive-deps -- notes and secrets answer something else only with another version of theirs
  }, [row, symbols, props.showsSecrets, notesVersion, secretsVersion, input.scenarioId])
  return <Viewer lines={lines} focused={props.focused} />
}
