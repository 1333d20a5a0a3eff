import type { ChangeAnswer } from '../../api/access/proof.ts'
import { isAccessMode, type AccessMode } from '../../api/access/table.ts'
import { modeWords } from '../../api/access/words.ts'
import { contract } from '../../api/contract/contract.ts'
import { scenarioUrl } from '../../api/contract/scenario-shapes.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import type { ScenarioRow } from './columns.ts'
import { GO_ON, useFormDialog } from './form-dialog.tsx'
import { modeField } from './forms.ts'
import { capFields, capsOf } from './guest-limits.ts'
import { secretsOf } from './secrets.ts'
import { ASKED, targetOf, type Change, type Changed, type Quietly } from './use-change.ts'

/** Who may enter a published scenario: its mode, its link, and what guests may spend. */
export function useExposure(projectId: string, change: Change) {
  const { client, accessNotes } = useWorkspace()
  const ask = useFormDialog()
  const secrets = secretsOf(client)
  const place = ({ scenario }: ScenarioRow) => ({ projectId, scenarioId: scenario.id })

  const mode = async (
    row: ScenarioRow,
    to: AccessMode,
    options?: Quietly,
  ): Promise<Changed<ChangeAnswer> | undefined> => {
    const target = targetOf(row)
    return await change(
      {
        change: { do: 'mode', from: target.mode, to },
        target,
        title: `Open ${target.name} to ${modeWords(to)}?`,
        action: 'Change the mode',
        endpoint: contract.userTesting.update,
        start: `Changing who may enter ${target.name}…`,
        send: () => client.userTesting.update({ ...place(row), body: { mode: to } }, ASKED),
        done: answer => `${target.name} is for ${modeWords(answer.mode ?? to)}.`,
      },
      options,
    )
  }

  const chooseMode = async (row: ScenarioRow): Promise<void> => {
    const present = row.scenario.mode
    const values = await ask({
      title: `Who may enter ${row.scenario.name}`,
      about: [{ text: `Now: ${modeWords(present)}.`, tone: 'plain' }],
      fields: [modeField(present ?? null, isAccessMode(present) ? present : 'project_members')],
      act: GO_ON,
    })
    if (values && isAccessMode(values['mode'])) await mode(row, values['mode'])
  }

  const rotate = async (row: ScenarioRow, options?: Quietly) => {
    const target = targetOf(row)
    return await change(
      {
        change: { do: 'rotate' },
        target,
        title: `Rotate the link of ${target.name}?`,
        action: 'Make another link',
        endpoint: contract.userTesting.rotateLink,
        start: `Rotating the link of ${target.name}…`,
        send: () => client.userTesting.rotateLink(place(row), ASKED),
        done: () => `${target.name} has another link.`,
        keep({ link }) {
          const url = scenarioUrl(link)
          if (url !== undefined) secrets.keepLink(target.id, url)
        },
      },
      options,
    )
  }

  const limits = async (row: ScenarioRow): Promise<void> => {
    const target = targetOf(row)
    const known = accessNotes?.of(target.id)?.caps
    const values = await ask({
      title: `Guest limits of ${target.name}`,
      about: [
        {
          text: known
            ? 'Filled with what was set from here last; the service does not tell what holds now.'
            : 'The service does not tell what holds now; what you send replaces all of it.',
          tone: 'warn',
        },
      ],
      fields: capFields(known),
      act: GO_ON,
    })
    if (!values) return
    const caps = capsOf(values)
    await change({
      change: { do: 'limits' },
      target,
      title: `Replace the guest limits of ${target.name}?`,
      action: 'Replace the limits',
      before: [
        {
          text: Object.entries(caps)
            .map(([name, value]) => `${name}: ${String(value)}`)
            .join(', '),
          tone: 'plain',
        },
      ],
      endpoint: contract.userTesting.setGuestExecution,
      start: `Replacing the guest limits of ${target.name}…`,
      send: async () => {
        await client.userTesting.setGuestExecution({ ...place(row), body: caps }, ASKED)
        return {}
      },
      done: () => `The guest limits of ${target.name} are replaced.`,
      keep: () => accessNotes?.note(target.id, { kind: 'caps', caps: { ...caps } }),
    })
  }

  return { mode, chooseMode, rotate, limits }
}

export type Exposure = ReturnType<typeof useExposure>
