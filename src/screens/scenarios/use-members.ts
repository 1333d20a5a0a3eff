import { modeLabel } from '../../domain/scenarios/labels.ts'
import { contract } from '../../api/contract/contract.ts'
import { YES } from '../../components/form/field-input.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import type { ScenarioRow } from './columns.ts'
import {
  filledAgain,
  GO_ON,
  useFormDialog,
  type FormSpec,
  type FormValues,
} from '../../components/form/form-dialog.tsx'
import type { ChangeAnswer } from '../../domain/scenarios/proof.ts'
import { memberFields } from './forms.ts'
import { invitationCode, secretsOf } from '../../domain/scenarios/session-secrets.ts'
import { useRetainedSecrets } from './use-copies.ts'
import { targetOf, type Target } from '../../domain/scenarios/access-state.ts'
import type { Change, Changed, OutcomeUnknown, ChangeOptions } from './use-change.ts'

/** Invites and removes members, whose list the service does not return. */
export function useMembers(projectId: string, change: Change) {
  const { client, accessNotes, profile } = useWorkspace()
  const ask = useFormDialog()
  const secrets = secretsOf(client)
  const keptHere = useRetainedSecrets()

  const invite = async (row: ScenarioRow, filled?: FormValues): Promise<void> => {
    const target = targetOf(row)
    const form = inviteForm(target, profile.local)
    const values = await ask({ ...form, ...filledAgain(form.fields, filled) })
    if (!values) return
    const email = values['email']!.trim()
    const mail = values['mail'] === YES
    await change(
      {
        change: { do: 'invite', email, mail },
        target,
        title: `Invite ${email} to "${target.name}"?`,
        action: 'Invite',
        endpoint: contract.userTesting.upsertMember,
        start: `Inviting ${email}…`,
        send: send =>
          send(contract.userTesting.upsertMember, {
            projectId,
            scenarioId: target.id,
            body: { email, ...(mail && { sendInviteEmail: true }) },
          }),
        done: () => `${email} is invited.`,
        retain(answer, { changedAt }) {
          accessNotes?.note(target.id, { kind: 'member', member: email, change: 'invited' })
          const code = invitationCode(answer)
          if (code !== undefined) secrets.keepInvitation(target.id, { member: email, code }, changedAt)
        },
        followUp: answer => (invitationCode(answer) === undefined ? undefined : keptHere.invitation()),
      },
      { declined: () => invite(row, values) },
    )
  }

  const remove = async (
    row: ScenarioRow,
    options?: ChangeOptions,
    filled?: FormValues,
  ): Promise<Changed<ChangeAnswer> | OutcomeUnknown | undefined> => {
    const target = targetOf(row)
    const members = accessNotes?.of(target.id)?.members ?? []
    const values = await ask({
      title: `Remove a member of ${target.name}`,
      about: [{ text: 'The service does not list members; only those invited from here are known.', tone: 'muted' }],
      ...filledAgain(memberFields(members), filled),
      act: GO_ON,
    })
    const member = values?.['other']?.trim() || values?.['member']
    if (!values || !member) return undefined
    return await change(
      {
        change: { do: 'remove', member },
        target,
        title: `Remove ${member} from "${target.name}"?`,
        action: 'Remove',
        endpoint: contract.userTesting.removeMember,
        start: `Removing ${member}…`,
        send: send =>
          send(contract.userTesting.removeMember, { projectId, scenarioId: target.id, memberIdOrEmail: member }),
        done: () => `${member} is no member of ${target.name} any more.`,
        retain() {
          accessNotes?.note(target.id, { kind: 'member', member, change: 'removed' })
          secrets.dropInvitation(target.id, member)
        },
      },
      options ?? { declined: () => remove(row, options, values) },
    )
  }

  return { invite, remove }
}

export type Members = ReturnType<typeof useMembers>

function inviteForm(target: Target, isLocal: boolean): FormSpec {
  return {
    title: `Invite someone to ${target.name}`,
    about: [
      { text: `It is for ${modeLabel(target.mode)} now.`, tone: 'plain' },
      { text: 'The service does not list members: people invited by others are not shown here.', tone: 'muted' },
    ],
    fields: [
      {
        id: 'email',
        label: 'e-mail address',
        required: true,
        check: text => {
          if (text.trim().length > 320) return 'An address has at most 320 characters.'
          return /^[^\s@]+@[^\s@]+$/.test(text.trim()) ? undefined : 'This is not an e-mail address.'
        },
      },
      // The local workspace sends no mail.
      ...(isLocal ? [] : [{ id: 'mail', label: 'send them an e-mail', input: { kind: 'toggle' as const } }]),
    ],
    act: GO_ON,
  }
}
