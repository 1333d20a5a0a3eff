import { randomBytes } from 'node:crypto'
import { ServiceError } from '../core/errors.ts'
import { authenticate, roleIn } from '../core/access.ts'
import { isAtLeast } from '../../api/contract/endpoint.ts'
import type { ScenarioMode, ScenarioRow } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import type { SessionEnd, VisitorSessionRow } from './visitor-session-rows.ts'
import { sameSecret } from './secrets.ts'
import type { ErrorCode } from '../../api/contract/error.ts'

/** The credentials that a visitor may send in addition to the link. */
export type Credentials = {
  /** `Authorization` header with an API key of the workspace. */
  authorization: string | null
  invitation: string | undefined
}

/** The proven identity of a visitor. */
export type Visitor = Pick<VisitorSessionRow, 'authType' | 'memberId' | 'keyId' | 'displayName'>

/** Why a session has ended, in words for the visitor. */
export type Ending = { by: 'visitor' | 'owner' | 'time'; message: string }

/** Milliseconds of inactivity after which a visitor has to open a new session. */
export const SESSION_IDLE_MS = 24 * 60 * 60 * 1000

const AGAIN = 'Open the link again if you may still use it.'
const ENDINGS: Record<SessionEnd, Ending> = {
  visitor: { by: 'visitor', message: 'You ended this session.' },
  unpublished: { by: 'owner', message: 'The session has ended: the owner took this scenario offline.' },
  narrowed: { by: 'owner', message: `The session has ended: the owner changed who may use this scenario. ${AGAIN}` },
  removed: {
    by: 'owner',
    message: `The session has ended: the owner took access away from a member, which ends every session. ${AGAIN}`,
  },
}

/** Whether a change of mode takes access away from someone. Only a change to anyone with the link does not. */
export function narrows(before: ScenarioMode, after: ScenarioMode): boolean {
  return before !== after && after !== 'anyone_with_link'
}

/**
 * Returns why a session has ended; undefined if it has not (service-api, "Scenario access"). It ends if the visitor
 * ends it, if the scenario is taken down or its access version changes, if the visitor's key or invitation becomes
 * invalid, and after a day without activity.
 */
export function whyEnded(store: Store, session: VisitorSessionRow, now: number): Ending | undefined {
  if (session.endedBy !== null) return ENDINGS[session.endedBy]
  const scenario = store.scenarios.getEver(session.scenarioId)
  if (!scenario || scenario.unpublishedAt !== null) return ENDINGS.unpublished
  if (scenario.accessVersion !== session.accessVersion) return ENDINGS.narrowed
  if (session.memberId !== null && !store.scenarios.members.get(scenario.id, session.memberId)) return ENDINGS.removed
  if (session.keyId !== null && !keyStillCounts(store, session.keyId, scenario))
    return { by: 'owner', message: 'The session has ended: the key that you signed in with is not valid any more.' }
  if (now - session.lastActivityAt >= SESSION_IDLE_MS)
    return { by: 'time', message: `The session has ended after a day without activity. ${AGAIN}` }
  return undefined
}

/** The credential that each mode requires of a visitor in addition to the link. */
export const NEEDS: Record<ScenarioMode, 'key' | 'invitation' | null> = {
  project_members: 'key',
  invited_only: 'invitation',
  anyone_with_link: null,
}

/**
 * Admits a visitor: a member with an API key of this workspace, an invited person with the invitation, or anyone with
 * the link if the mode allows it.
 * @throws ServiceError `UNAUTHORIZED` without credentials, `FORBIDDEN` if they do not suffice
 */
export function admit(store: Store, scenario: ScenarioRow, credentials: Credentials): Visitor {
  const { authorization, invitation } = credentials
  switch (scenario.mode) {
    case 'project_members':
      if (authorization === null)
        throw new ServiceError(
          'UNAUTHORIZED',
          'This scenario is for members of its project: sign in with an API key of the workspace.',
          { details: { needs: 'key' } },
        )
      return asMember(store, scenario, authorization)
    case 'invited_only':
      if (invitation === undefined)
        throw new ServiceError(
          'UNAUTHORIZED',
          'This scenario is for invited people: show the invitation that its owner gave you.',
          { details: { needs: 'invitation' } },
        )
      return asInvited(store, scenario, invitation)
    case 'anyone_with_link':
      if (authorization !== null) return asMember(store, scenario, authorization)
      if (invitation !== undefined) return asInvited(store, scenario, invitation)
      return { authType: 'guest', memberId: null, keyId: null, displayName: null }
  }
}

/** Creates an invitation. It contains the id of its member, so that one comparison is enough. */
export function mintInvitation(memberId: string): string {
  return `${memberId}.${randomBytes(32).toString('base64url')}`
}

function asInvited(store: Store, scenario: ScenarioRow, invitation: string): Visitor {
  const member = store.scenarios.members.get(scenario.id, invitation.split('.', 1)[0] ?? '')
  if (!member || !sameSecret(member.invitation, invitation))
    throw new ServiceError('UNAUTHORIZED', 'This invitation is not valid for this scenario, or no longer.')
  return { authType: 'signedIn', memberId: member.id, keyId: null, displayName: member.email }
}

function asMember(store: Store, scenario: ScenarioRow, authorization: string): Visitor {
  const { keyId } = authenticate(store, authorization)
  const row = store.keys.get(keyId)
  if (!keyStillCounts(store, keyId, scenario))
    throw new ServiceError('FORBIDDEN', 'This key belongs to no member of the scenario’s project.')
  return { authType: 'signedIn', memberId: null, keyId, displayName: row?.name ?? null }
}

/** Whether a key is valid and has at least the role of member in the scenario's project. */
function keyStillCounts(store: Store, keyId: string, scenario: ScenarioRow): boolean {
  const key = store.keys.get(keyId)
  const project = store.projects.get(scenario.projectId)
  if (!key || key.revokedAt !== null || key.organizationId === null || !project) return false
  const { accountId, organizationId, role } = key
  const held = roleIn({ keyId, accountId, organizationId, role, grants: store.keys.grants(keyId) }, project)
  return isAtLeast(held, 'member')
}

const NOT_NOW = 'The scenario cannot answer right now; its owner can see why.'

/**
 * Messages for a visitor who gets no answer. The owner's addresses, names and error texts are only in the transcript.
 */
const REFUSALS: Partial<Record<ErrorCode, [code: ErrorCode, message: string]>> = {
  CONFLICT: [
    'CONFLICT',
    'The scenario cannot answer: its environment cannot run as it is. Its owner can correct that.',
  ],
  FEATURE_NOT_SUPPORTED: [
    'FEATURE_NOT_SUPPORTED',
    'The scenario cannot answer: its owner has to configure a model, or a client that asks for no approvals.',
  ],
  RATE_LIMITED: ['RATE_LIMITED', 'The model limits the rate of requests; try again in a moment.'],
  TIMEOUT: ['TIMEOUT', 'The answer took too long.'],
  OAUTH_REQUIRED: ['SERVER_UNREACHABLE', 'A server of this scenario needs a sign-in by its owner first.'],
}

/** Converts a failure to a refusal for the visitor. Internal errors are unchanged, because they are logged. */
export function toVisitorRefusal(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code === 'UNAUTHORIZED') return error
  const [code, message] = REFUSALS[error.code] ?? (['SERVER_UNREACHABLE', NOT_NOW] as const)
  return new ServiceError(code, message, { cause: error })
}

/** Returns the refusal for a session that has ended. `endedBy` tells the client who ended it. */
export function sessionEnded(ending: Ending | undefined): ServiceError {
  if (!ending) return new ServiceError('UNAUTHORIZED', 'There is no such session.')
  return new ServiceError('UNAUTHORIZED', ending.message, { details: { endedBy: ending.by } })
}
