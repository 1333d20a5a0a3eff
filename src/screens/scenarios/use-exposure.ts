import type { ChangeAnswer } from '../../domain/scenarios/proof.ts'
import { isAccessMode, type AccessMode } from '../../domain/scenarios/table.ts'
import { modeLabel } from '../../domain/scenarios/labels.ts'
import { contract } from '../../api/contract/contract.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import type { ScenarioRow } from './columns.ts'
import { filledAgain, GO_ON, useFormDialog, type FormValues } from '../../components/form/form-dialog.tsx'
import { modeField } from './forms.ts'
import { capFields, capsOf, filledLabel, limitsBeside } from './guest-limits.ts'
import { secretsOf } from '../../domain/scenarios/session-secrets.ts'
import { useRetainedSecrets } from './use-copies.ts'
import { targetOf } from '../../domain/scenarios/access-state.ts'
import type { Change, Changed, OutcomeUnknown, ChangeOptions } from './use-change.ts'

/**
 * Returns the actions that change who may enter a published scenario: its mode, its link, and what guests may spend.
 */
export function useExposure(projectId: string, change: Change) {
  const { client, accessNotes } = useWorkspace()
  const ask = useFormDialog()
  const secrets = secretsOf(client)
  const keptHere = useRetainedSecrets()
  const place = ({ scenario }: ScenarioRow) => ({ projectId, scenarioId: scenario.id })

  const mode = async (
    row: ScenarioRow,
    to: AccessMode,
    options?: ChangeOptions,
  ): Promise<Changed<ChangeAnswer> | OutcomeUnknown | undefined> => {
    const target = targetOf(row)
    return await change(
      {
        change: { do: 'mode', from: target.mode, to },
        target,
        title: `Open "${target.name}" to ${modeLabel(to)}?`,
        action: 'Change the mode',
        endpoint: contract.userTesting.update,
        start: `Changing who may enter ${target.name}…`,
        send: send => send(contract.userTesting.update, { ...place(row), body: { mode: to } }),
        done: answer => `${target.name}: ${modeLabel(target.mode)} → ${modeLabel(answer.mode ?? to)}.`,
      },
      options,
    )
  }

  const chooseMode = async (row: ScenarioRow, filled?: FormValues): Promise<void> => {
    const present = row.scenario.mode
    const values = await ask({
      title: `Who may enter ${row.scenario.name}`,
      about: [{ text: `Now: ${modeLabel(present)}.`, tone: 'plain' }],
      ...filledAgain([modeField(present ?? null, isAccessMode(present) ? present : 'project_members')], filled),
      act: GO_ON,
    })
    if (values && isAccessMode(values['mode']))
      await mode(row, values['mode'], { declined: () => chooseMode(row, values) })
  }

  const rotate = async (row: ScenarioRow, options?: ChangeOptions) => {
    const target = targetOf(row)
    return await change(
      {
        change: { do: 'rotate' },
        target,
        title: `Rotate the link of "${target.name}"?`,
        action: 'Make a new link',
        endpoint: contract.userTesting.rotateLink,
        start: `Rotating the link of ${target.name}…`,
        send: send => send(contract.userTesting.rotateLink, place(row)),
        done: () => `${target.name} has a new link.`,
        retain: ({ link }, { changedAt }) => secrets.keepLink(target.id, link, changedAt),
        followUp: ({ link }) => keptHere.link(link),
        onOutcomeUnknown: () => secrets.dropLink(target.id),
      },
      options,
    )
  }

  const limits = async (row: ScenarioRow, filled?: FormValues): Promise<void> => {
    const target = targetOf(row)
    accessNotes?.look()
    const known = accessNotes?.of(target.id)?.caps
    const values = await ask({
      title: `Guest limits of ${target.name}`,
      about: [{ text: filledLabel(known, target.changedAt), tone: 'warn' }],
      ...filledAgain(capFields(known), filled),
      act: GO_ON,
    })
    if (!values) return
    const caps = capsOf(values)
    await change(
      {
        change: { do: 'limits' },
        target,
        title: `Replace the guest limits of "${target.name}"?`,
        action: 'Replace the limits',
        before: now => limitsBeside(caps, known, now.caps),
        endpoint: contract.userTesting.setGuestExecution,
        start: `Replacing the guest limits of ${target.name}…`,
        send: async send => {
          await send(contract.userTesting.setGuestExecution, { ...place(row), body: caps })
          return {}
        },
        done: () => `The guest limits of ${target.name} are replaced.`,
        retain: (_answer, { changedAt }) =>
          accessNotes?.note(target.id, { kind: 'caps', caps: { ...caps }, changedAt }),
      },
      { declined: () => limits(row, values) },
    )
  }

  return { mode, chooseMode, rotate, limits }
}

export type Exposure = ReturnType<typeof useExposure>
