import { useLayoutEffect } from 'react'
import type { ConnectionFault } from '../../api/client/errors/api-error.ts'
import { connectionWords } from '../../api/client/errors/connection-labels.ts'
import { useWorkspace, type Profile } from '../../hooks/workspace.tsx'
import { useKeymap } from '../../tui/keymap/keymap-context.tsx'

const READ_ONLY = 'This session is read-only: it launches, calls and changes nothing.'

/** Why what needs the service waits. */
function waitingSentence({ local, host }: Profile, fault: ConnectionFault): string {
  if (local) return 'The local workspace cannot be opened; this works as soon as it can.'
  const then = {
    silent: 'this works again as soon as it does.',
    'key-refused': 'this works with a key that it takes.',
    redirected: 'correct the address of the profile.',
    'web-page': 'sign in to the network, or correct the address of the profile.',
    unavailable: 'this works again as soon as it can.',
  }[fault]
  return `${connectionWords(fault, host)}; ${then}`
}

/** Holds back, on every screen, what needs a service that does not answer, and what a read-only session must not do. */
export function useNeeds(fault: ConnectionFault | undefined): void {
  const { dispatcher } = useKeymap()
  const { profile } = useWorkspace()
  useLayoutEffect(
    () => dispatcher.withhold('write', profile.readOnly ? READ_ONLY : undefined),
    [dispatcher, profile.readOnly],
  )
  useLayoutEffect(
    () => dispatcher.withhold('service', fault ? waitingSentence(profile, fault) : undefined),
    [dispatcher, profile, fault],
  )
}
