import { useLayoutEffect } from 'react'
import { useWorkspace, type Profile } from '../../hooks/workspace.tsx'
import { useKeymap } from '../keymap/keymap-context.tsx'

const READ_ONLY = 'This session is read-only: it launches, calls and changes nothing.'

/** Why what needs the service waits. */
function waitingSentence(profile: Profile): string {
  return profile.local
    ? 'The local workspace cannot be opened; this works as soon as it can.'
    : `${profile.host} does not answer; this works again as soon as it does.`
}

/** Holds back, on every screen, what needs a service that does not answer, and what a read-only session must not do. */
export function useNeeds(isLineDown: boolean): void {
  const { dispatcher } = useKeymap()
  const { profile } = useWorkspace()
  useLayoutEffect(
    () => dispatcher.withhold('write', profile.readOnly ? READ_ONLY : undefined),
    [dispatcher, profile.readOnly],
  )
  useLayoutEffect(
    () => dispatcher.withhold('service', isLineDown ? waitingSentence(profile) : undefined),
    [dispatcher, profile, isLineDown],
  )
}
