import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useLayoutEffect } from 'react'
import { type ConnectionFault, connectionLabel } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import {
  type AnyEndpoint,
  isAtLeast,
  PROJECT_ROLES,
  requiredRole,
  roleSentence,
  type ProjectRole,
} from '../../api/contract/endpoint.ts'
import { useWorkspace, type Profile } from '../../hooks/workspace.tsx'
import { usePlace } from '../../tui/router/router-context.tsx'
import { useKeymap } from '../../tui/keymap/keymap-context.tsx'
/** Nothing is read for it; what a screen has read of the project is enough. */
const FROM_CACHE = { enabled: false, staleTime: Infinity } as const
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
  return `${connectionLabel(fault, host)}; ${then}`
}

/**
 * The person's role in the project on screen, as a read of the project returned it; undefined before one did, and for
 * a role whose rights are not known here.
 */
function useProjectRole(): ProjectRole | undefined {
  const { queries } = useWorkspace()
  const { projectId } = usePlace().params as { projectId?: string }
  const { data: projects } = useInfiniteQuery({ ...queries.projects.list.infinite({}), ...FROM_CACHE })
  const input = { projectId: projectId ?? '' }
  const { data: capabilities } = useQuery({ ...queries.projects.capabilities.options(input), ...FROM_CACHE })
  const listed = projects?.pages.flatMap(({ items }) => items).find(({ id }) => id === projectId)?.role
  const role = capabilities?.projectRole ?? listed
  return PROJECT_ROLES.find(known => known === role)
}

/** Why a role is too low for what the contract names so; undefined where none is needed. */
function roleObstacle(role: ProjectRole, need: string): string | undefined {
  const [resource = '', name = ''] = need.split('.')
  const endpoint = (contract as Readonly<Record<string, Readonly<Record<string, AnyEndpoint>>>>)[resource]?.[name]
  const needed = endpoint ? requiredRole(endpoint) : null
  return needed === null || isAtLeast(role, needed) ? undefined : roleSentence(needed, role)
}

/**
 * Holds back, on every screen, what needs a service that does not answer, what a read-only session must not do, and
 * what takes a higher role in the project.
 */
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
  const role = useProjectRole()
  useLayoutEffect(
    () => dispatcher.forbid(role === undefined || role === 'admin' ? undefined : need => roleObstacle(role, need)),
    [dispatcher, role],
  )
}
