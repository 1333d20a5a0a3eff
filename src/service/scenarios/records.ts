import type * as z from 'zod'
import type { ProjectScenario, ScenarioDetail } from '../../api/contract/scenarios.ts'
import type {
  GuestExecutionRequest,
  Scenario,
  ScenarioMemberRequest,
  ScenarioPublishRequest,
  ScenarioUpdateRequest,
  UserTestingScenario,
} from '../../api/contract/user-testing.ts'
import { modelOf, serversOfClient } from '../clients/clients.ts'
import { requireLive, type EnvironmentRow } from '../environments/environments.ts'
import { ServiceError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { toProjectServer } from '../servers/records.ts'
import type { ScenarioMemberRow, ScenarioMode, ScenarioRow } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import type { SessionEnd } from './visitor-session-rows.ts'
import { requireNotBlank, recordHandlers } from '../core/record-handlers.ts'
import { invalidField } from '../core/validation.ts'
import { mintInvitation, narrows } from './access.ts'
import { mintSecret } from './secrets.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

type Wishes = NonNullable<z.output<typeof ScenarioPublishRequest>>
type Edit = z.output<typeof ScenarioUpdateRequest>
type GuestCaps = z.output<typeof GuestExecutionRequest>

/** A scenario with the secret of its link. The secret is known only when it is created. */
type WithLink = { row: ScenarioRow; secret: string }

/** Mode of a scenario if the request names none. No stranger can use a scenario in this mode. */
const DEFAULT_MODE: ScenarioMode = 'project_members'

/** Features that visitors cannot have on this machine, even if the caps allow them. */
const NOT_HERE = {
  computerEnabled: 'computers',
  sharedSkillsEnabled: 'shared skills',
  harnessEnabled: 'harnesses',
} as const

/**
 * Publishes an environment. If it is published already, its scenario is returned unchanged and without a link.
 * @throws ServiceError `CONFLICT` for an archived environment, `VALIDATION_ERROR` for a blank name
 */
export function publishScenario(
  store: Store,
  environment: EnvironmentRow,
  wishes: Wishes,
  now: number = Date.now(),
): WithLink | { row: ScenarioRow; ignored: boolean } {
  const known = store.scenarios.findByEnvironment(environment.id)
  if (known) return { row: known, ignored: differs(known, wishes) }
  requireLive(environment)
  requireNotBlank('name', wishes.name)
  const { projectId, clientId } = environment
  const client = store.clients.get(projectId, clientId)
  const { secret, lookup, hash } = mintSecret('link')
  const row: ScenarioRow = {
    id: newId('scn'),
    projectId,
    environmentId: environment.id,
    name: wishes.name ?? environment.name ?? client?.name ?? 'Scenario',
    description: wishes.description || null,
    mode: wishes.mode ?? DEFAULT_MODE,
    accessVersion: Math.max(1, store.scenarios.lastAccessVersion(environment.id)),
    linkLookup: lookup,
    linkHash: hash,
    guestExecution: undefined,
    createdAt: now,
    updatedAt: now,
    unpublishedAt: null,
  }
  store.scenarios.insert(row)
  return { row, secret }
}

/** Takes a scenario down permanently. Publishing again creates another one. */
export function unpublishScenario(store: Store, row: ScenarioRow): void {
  bump(store, { ...row, unpublishedAt: Date.now() }, 'unpublished')
}

/**
 * Edits the texts or the mode. If the new mode admits fewer people, every session ends.
 * @throws ServiceError `VALIDATION_ERROR`
 */
export function updateScenario(store: Store, row: ScenarioRow, edit: Edit): ScenarioRow {
  requireNotBlank('name', edit.name)
  const updated: ScenarioRow = {
    ...row,
    name: edit.name ?? row.name,
    description: (edit.description ?? row.description) || null,
    mode: edit.mode ?? row.mode,
    updatedAt: Date.now(),
  }
  if (narrows(row.mode, updated.mode)) return bump(store, updated, 'narrowed')
  store.scenarios.update(updated)
  return updated
}

/** Moves a scenario to another environment. @throws ServiceError `CONFLICT` if that is archived or published already */
export function rebindScenario(store: Store, row: ScenarioRow, environment: EnvironmentRow): ScenarioRow {
  if (environment.id === row.environmentId) return row
  requireLive(environment)
  const other = store.scenarios.findByEnvironment(environment.id)
  if (other)
    throw new ServiceError('CONFLICT', `The environment is published already as "${other.name}".`, {
      details: { field: 'environmentId', scenarioId: other.id },
    })
  const updated = { ...row, environmentId: environment.id, updatedAt: Date.now() }
  store.scenarios.update(updated)
  return updated
}

/** Creates a new link. Sessions that were opened with the old link continue. */
export function rotateLink(store: Store, row: ScenarioRow): WithLink {
  const { secret, lookup, hash } = mintSecret('link')
  const updated = { ...row, linkLookup: lookup, linkHash: hash, updatedAt: Date.now() }
  store.scenarios.update(updated)
  return { row: updated, secret }
}

/**
 * Invites a person, unless they are invited already.
 * @throws ServiceError `VALIDATION_ERROR`, `FEATURE_NOT_SUPPORTED` for mail
 */
export function upsertMember(
  store: Store,
  scenario: ScenarioRow,
  { email, sendInviteEmail }: z.output<typeof ScenarioMemberRequest>,
  now: number = Date.now(),
): ScenarioMemberRow {
  if (sendInviteEmail)
    throw new ServiceError(
      'FEATURE_NOT_SUPPORTED',
      'The local workspace sends no mail: leave sendInviteEmail out and hand the invitation over yourself.',
    )
  const address = normalized(email)
  if (!/^[^\s@]+@[^\s@]+$/.test(address)) throw invalidField('email', 'must be an e-mail address')
  const known = store.scenarios.members.findByEmail(scenario.id, address)
  if (known) return known
  const id = newId('mbr')
  const row: ScenarioMemberRow = {
    id,
    scenarioId: scenario.id,
    email: address,
    invitation: mintInvitation(id),
    createdAt: now,
  }
  store.scenarios.members.insert(row)
  return row
}

/** Withdraws an invitation, which ends every session of the scenario. @throws ServiceError `NOT_FOUND` */
export function removeMember(store: Store, scenario: ScenarioRow, idOrEmail: string): void {
  const { members } = store.scenarios
  const member = members.get(scenario.id, idOrEmail) ?? members.findByEmail(scenario.id, normalized(idOrEmail))
  if (!member) throw new ServiceError('NOT_FOUND', `The scenario has no member ${idOrEmail}.`)
  members.delete(member.id)
  bump(store, { ...scenario, updatedAt: Date.now() }, 'removed')
}

/**
 * Replaces the caps for anonymous visitors. @throws ServiceError `FEATURE_NOT_SUPPORTED` for features that this machine
 * cannot offer
 */
export function setGuestExecution(store: Store, row: ScenarioRow, caps: GuestCaps): GuestCaps {
  for (const [field, what] of Object.entries(NOT_HERE))
    if (caps[field as keyof typeof NOT_HERE])
      throw new ServiceError(
        'FEATURE_NOT_SUPPORTED',
        `The local workspace has no ${what} for visitors: send ${field}: false.`,
      )
  store.scenarios.update({ ...row, guestExecution: caps, updatedAt: Date.now() })
  return caps
}

/** Converts a scenario to the reply of publish and rebind. */
export function toScenario({ id, environmentId, name, mode, accessVersion }: ScenarioRow): Scenario {
  return { id, environmentId, name, mode, accessVersion, link: null }
}

export function toUserTestingScenario(row: ScenarioRow): UserTestingScenario {
  const { id, projectId, name, description, mode } = row
  return { id, projectId, name, description, mode }
}

/**
 * Converts a scenario to a row of the read-only list. The row has no link, since only the hash of the link is stored.
 */
function toProjectScenario(store: Store, row: ScenarioRow): ProjectScenario {
  const { id, projectId, name, description, mode, createdAt, updatedAt } = row
  const { client, servers } = partsOf(store, row)
  const hostStyle = client?.config['hostStyle']
  return {
    id,
    projectId,
    name,
    description,
    mode,
    hostStyle: typeof hostStyle === 'string' ? hostStyle : null,
    hostId: client?.id ?? null,
    hostName: client?.name ?? null,
    serverCount: servers.length,
    serverNames: servers.map(server => server.name),
    link: null,
    createdAt,
    updatedAt,
  }
}

function toScenarioDetail(store: Store, row: ScenarioRow): ScenarioDetail {
  const { environment, client, servers, systemPrompt, temperature } = partsOf(store, row)
  return {
    ...toProjectScenario(store, row),
    modelId: environment?.modelId ?? (client && modelOf(client.config)) ?? null,
    systemPrompt: systemPrompt ?? null,
    temperature: temperature ?? null,
    requireToolApproval: client?.config['requireToolApproval'] === true,
    servers: servers.map(server => {
      const { id, name, url, useOAuth } = toProjectServer(server, { maySeeUrl: false })
      return { id, name, url: url ?? null, useOAuth: useOAuth ?? false }
    }),
  }
}

/** Returns the parts of the environment that visitors use now, without parts that were deleted. */
function partsOf(store: Store, { projectId, environmentId }: ScenarioRow) {
  const environment = store.environments.get(projectId, environmentId)
  const client = environment && store.clients.get(projectId, environment.clientId)
  const { systemPrompt, temperature } = client?.config ?? {}
  return {
    environment,
    client,
    servers: client ? serversOfClient(store, client) : [],
    ...(typeof systemPrompt === 'string' && { systemPrompt }),
    ...(typeof temperature === 'number' && { temperature }),
  }
}

/** Raises the access version, which ends all current sessions. */
function bump(store: Store, row: ScenarioRow, endedBy: SessionEnd): ScenarioRow {
  const updated = { ...row, accessVersion: row.accessVersion + 1 }
  store.scenarios.update(updated)
  store.visitorSessions.endLive(row.id, endedBy, Date.now())
  return updated
}

function differs(row: ScenarioRow, { name, description, mode }: Wishes): boolean {
  return (
    (name !== undefined && name !== row.name) ||
    (description !== undefined && (description || null) !== row.description) ||
    (mode !== undefined && mode !== row.mode)
  )
}

function normalized(email: string): string {
  return email.trim().normalize('NFC').toLowerCase()
}

/** Handles the read-only routes, which work even if the feature is off. */
export function scenarioHandlers({ store }: ServiceContext): Handlers['scenarios'] {
  return recordHandlers(store, 'scenarios', {
    rows: store.scenarios,
    list: { all: store.scenarios.list },
    toItem: row => toScenarioDetail(store, row),
    toListed: row => toProjectScenario(store, row),
  })
}
