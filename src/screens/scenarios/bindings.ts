import { bindingsOf, on } from '../../tui/keymap/binding.ts'

const define = bindingsOf('scenarios')

export const scenariosKeys = define.screen('scenarios', 'Scenarios', {
  open: { keys: ['enter'], label: 'open', hint: 'first', help: 'Open the scenario.' },
  back: { keys: ['escape'], label: 'back', help: 'Leave the transcript, the scenario.' },
  publish: on('new', 'publish', {
    hint: true,
    needs: 'userTesting.publish',
    help: 'Publish an environment, after showing what that does.',
  }),
  mode: on('access', 'who may enter', {
    hint: true,
    needs: 'userTesting.update',
    help: 'Change who may enter, after showing who loses access and which sessions end.',
  }),
  invite: on('invite', 'invite', { hint: true, needs: 'userTesting.upsertMember', help: 'Invite someone by address.' }),
  remove: on('delete', 'remove member', {
    hint: true,
    needs: 'userTesting.removeMember',
    help: 'In the tab Access: remove a member, which ends every live session.',
  }),
  rotate: on('rotate', 'rotate link', {
    hint: true,
    needs: 'userTesting.rotateLink',
    help: 'Rotate the link; running sessions stay.',
  }),
  leaked: on('leaked', 'handle a leaked link', {
    hint: true,
    needs: 'userTesting.rotateLink',
    help: 'What to do when the link leaked, step by step: rotate, decide who stays in, verify.',
  }),
  unpublish: on('end', 'unpublish', {
    hint: true,
    needs: 'userTesting.unpublish',
    help: 'Take the scenario offline, which ends every session.',
  }),
  rebind: on('bind', 'rebind', {
    needs: 'userTesting.rebind',
    help: 'Point the scenario at another environment, or at the current revision of its own.',
  }),
  limits: on('edit', 'guest limits', {
    needs: 'userTesting.setGuestExecution',
    help: 'Replace the caps for anonymous visitors.',
  }),
  showSecrets: on('view', 'show secrets', {
    help: 'Show the link and invitations that are known here, or hide them again.',
  }),
  copyLink: on('shareLink', 'copy share link', {
    help: 'Copy the share link that is known here, and say what it grants.',
  }),
  copyInvitation: on('invitation', 'copy invitation', { help: 'Copy the latest invitation that was made here.' }),
  checkLink: on('check', 'check link', {
    needs: 'service',
    help: 'Check where the link leads, without opening a session.',
  }),
})

/** Active while the findings of a scenario are on screen. */
export const visitFindingsKeys = define.panel('scenarioFindings', 'Findings of a scenario', {
  triage: { keys: ['enter'], label: 'triage', hint: true, help: 'Show them on the Findings screen.' },
})

/** Active while the sessions of a scenario are on screen. */
export const visitsKeys = define.panel('visits', 'Sessions', {
  read: { keys: ['enter'], label: 'read', hint: true, needs: 'service', help: 'Read the messages.' },
})
