import { ApiError, isMissing } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import type { AnyEndpoint, InputOf, OutputOf } from '../../api/contract/endpoint.ts'
import { scenarioUrl, type ScenarioLink, type ProjectScenario } from '../../api/contract/scenarios.ts'
import { consequencesOf } from '../../domain/scenarios/consequences.ts'
import { provedVersion, type Noting } from '../../domain/scenarios/notes.ts'
import {
  adviceAfterLoss,
  happenedBy,
  lossProofs,
  notMemberText,
  proofsOf,
  tookOffline,
  type ChangeAnswer,
  type Proof,
} from '../../domain/scenarios/proof.ts'
import { publishEnvironment } from '../../domain/scenarios/publish.ts'
import { liveSessionsOf, readBack } from '../../domain/scenarios/read-back.ts'
import { invitationCode } from '../../domain/scenarios/session-secrets.ts'
import { effectOf, type AccessChange, type AccessMode } from '../../domain/scenarios/table.ts'
import { readAccessState, targetOf, whatMoved, NOT_YET } from '../../domain/scenarios/access-state.ts'
import { clean } from '../../tui/theme/text.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { sendWrite, type CommandWrite, type Sent, type WriteOptions } from '../journal/send-write.ts'
import { errorLine } from '../output/report-error.ts'
import { printReceived, printText } from '../output/print-answer.ts'
import { say } from '../output/prose.ts'
import { EXIT } from '../process/exit-codes.ts'
import type { CommandContext } from '../workspace/in-workspace.ts'
type Own = WriteOptions & { json?: boolean }
type Words = readonly string[]

/** A change of who has access, with the words for its question and its result. */
type Changing<E extends AnyEndpoint> = {
  change: AccessChange
  /** Undefined if it is not published yet. */
  scenario: ProjectScenario | undefined
  /** Start of the question: `This publishes Staging`. */
  effect: string
  endpoint: E
  input: InputOf<E>
  send?: () => Promise<OutputOf<E>>
  /** Returns the facts from the answer to save on this machine. */
  notes: (answer: OutputOf<E>) => readonly Noting[]
  /** Part of the answer that a script needs: a link, an invitation. */
  result?: (answer: OutputOf<E>) => string | undefined
}

/**
 * Describes a change, asks, sends it, and reports what its answer and a later read prove.
 * @returns the exit code: no success if the answer contradicts the request
 */
async function changeAccess<E extends AnyEndpoint>(
  context: CommandContext,
  changing: Changing<E>,
  own: Own,
): Promise<number> {
  let sent: Sent<E>
  try {
    sent = await sendWrite(context, await writeOf(context, changing), own)
  } catch (error) {
    const exitCode = await exitCodeKnown(context, changing, error)
    if (exitCode === undefined) throw error
    return exitCode
  }
  const proofs = await proofsAfter(context, changing, sent.value)
  for (const { text } of proofs) say(clean(text))
  if (own.json) printReceived(sent.text)
  else printText(changing.result?.(sent.value) ?? '')
  return proofs.some(({ how }) => how === 'contradicts') ? EXIT.noVerdict : EXIT.done
}

/** Saves the change on this machine, reads it back, and reports what both prove. */
async function proofsAfter<E extends AnyEndpoint>(
  context: CommandContext,
  { change, scenario, notes: notesOf }: Changing<E>,
  value: OutputOf<E>,
): Promise<readonly Proof[]> {
  const notes = context.saved?.opened.workspace.accessNotes
  const answer = value as ChangeAnswer
  const id = scenario?.id ?? answer.id ?? ''
  if (effectOf(change).accessVersion === 'moves') notes?.note(id, { kind: 'moved', by: change.do })
  for (const noting of notesOf(value)) notes?.note(id, noting)
  const isGone = change.do === 'unpublish'
  if (isGone && tookOffline(answer)) notes?.forget(id)
  const read = await readBack(context.client, await context.projectId(), id, isGone)
  return proofsOf(change, { scenarioId: scenario?.id }, answer, read)
}

/** Reports what is known of a failed change; returns undefined if the error itself says more. */
async function exitCodeKnown<E extends AnyEndpoint>(
  context: CommandContext,
  changing: Changing<E>,
  error: unknown,
): Promise<number | undefined> {
  const { change } = changing
  if (change.do === 'remove' && isMissing(error)) {
    say(clean(notMemberText(change.member)))
    return EXIT.noVerdict
  }
  if (!(error instanceof ApiError) || !error.leavesDoubt) return undefined
  return await sayLoss(context, changing, error)
}

/** Reports what can be read after a change without an answer, and what to do; returns the exit code. */
async function sayLoss<E extends AnyEndpoint>(
  context: CommandContext,
  { change, scenario }: Changing<E>,
  error: ApiError,
): Promise<number> {
  const notes = context.saved?.opened.workspace.accessNotes
  if (scenario) notes?.note(scenario.id, { kind: 'moved', by: 'a change whose answer was lost' })
  const projectId = await context.projectId()
  const read = scenario ? await readBack(context.client, projectId, scenario.id, change.do === 'unpublish') : {}
  for (const { text } of lossProofs(change, read)) say(clean(text))
  const [happened, advice] = [happenedBy(change, read), adviceAfterLoss(change, read)]
  say(happened === 'unknown' ? errorLine(error, advice) : advice)
  return happened === 'yes' ? EXIT.done : EXIT.noVerdict
}

/** Returns a change to send, with its effects on the scenario in its current state. */
async function writeOf<E extends AnyEndpoint>(
  context: CommandContext,
  { change, scenario, effect, endpoint, input, send }: Changing<E>,
): Promise<CommandWrite<E>> {
  const { client } = context
  const projectId = await context.projectId()
  const notes = context.saved?.opened.workspace.accessNotes
  const target = scenario && targetOf({ scenario })
  const look = () => readAccessState(client, { projectId, isClosed: true, target, change, notes })
  const before = target ? await look() : NOT_YET
  const { lines, word } = consequencesOf(change, {
    mode: before.mode,
    liveSessions: scenario && (await liveSessionsOf(client, { projectId, scenarioId: scenario.id })),
    accessVersion: scenario && provedVersion(notes?.of(scenario.id)),
  })
  return {
    endpoint,
    input,
    lines: lines.map(({ text }) => text),
    effect,
    word: word?.text,
    async recheck() {
      const moved = target && whatMoved(before, await look())
      return moved === undefined ? undefined : `Nothing was sent: while you decided, ${moved}.`
    },
    ...(send && { send }),
  }
}

const versionNotes = (value: number | null | undefined): Noting[] =>
  value == null ? [] : [{ kind: 'version', value, by: 'publish' }]

function linkOf({ link }: { link?: ScenarioLink | null | undefined }): string | undefined {
  const url = scenarioUrl(link)
  if (url === undefined) say('The link is shown once, when it is made. mcpdeck rotate makes another one.')
  return url
}

export type PublishOptions = Own & { mode: AccessMode; name?: string; description?: string }

/** Runs `mcpdeck publish`. */
export async function publish(context: CommandContext, [wanted = '']: Words, own: PublishOptions): Promise<number> {
  const { mode, name, description } = own
  const environment = await context.find('environments', wanted)
  const environmentId = environment.id
  const body = { mode, ...(name !== undefined && { name }), ...(description !== undefined && { description }) }
  const input = { projectId: await context.projectId(), environmentId, body }
  return await changeAccess(
    context,
    {
      change: { do: 'publish', mode },
      scenario: undefined,
      effect: `This publishes ${clean(typeof environment['name'] === 'string' ? environment['name'] : environmentId)}`,
      endpoint: contract.userTesting.publish,
      input,
      send: () => publishEnvironment(context.client, input),
      notes: ({ accessVersion }) => [{ kind: 'environment', environmentId }, ...versionNotes(accessVersion)],
      result: linkOf,
    },
    own,
  )
}

/** Runs `mcpdeck unpublish`. */
export async function unpublish(
  context: CommandContext,
  [wanted = '']: Words,
  own: Own & { environment?: string },
): Promise<number> {
  const { scenario, place } = await scenarioOf(context, wanted)
  const { projectId } = place
  const environmentId =
    own.environment === undefined
      ? await environmentOf(context, place)
      : (await context.find('environments', own.environment)).id
  return await changeAccess(
    context,
    {
      change: { do: 'unpublish' },
      scenario,
      effect: `This takes ${clean(scenario.name)} offline`,
      endpoint: contract.userTesting.unpublish,
      input: { projectId, environmentId },
      notes: () => [],
    },
    own,
  )
}

/**
 * Returns the environment that a scenario was published from; if the feature is off, only notes on this machine name
 * it.
 */
async function environmentOf(
  { client, saved }: CommandContext,
  place: { projectId: string; scenarioId: string },
): Promise<string> {
  const read = await client.userTesting.get(place).catch((error: unknown) => {
    if (error instanceof ApiError && error.kind === 'http' && error.status === 403) return undefined
    throw error
  })
  const noted = saved?.opened.workspace.accessNotes?.of(place.scenarioId)?.environmentId
  const id = read?.environmentId ?? noted
  if (id == null) throw new UsageError('The service does not return its environment; name it with --environment.')
  return id
}

/** Runs `mcpdeck rotate`. */
export async function rotate(context: CommandContext, [wanted = '']: Words, own: Own): Promise<number> {
  const { scenario, place } = await scenarioOf(context, wanted)
  return await changeAccess(
    context,
    {
      change: { do: 'rotate' },
      scenario,
      effect: `This replaces the link of ${clean(scenario.name)}`,
      endpoint: contract.userTesting.rotateLink,
      input: place,
      notes: () => [],
      result: linkOf,
    },
    own,
  )
}

/** Runs `mcpdeck invite`. */
export async function invite(
  context: CommandContext,
  [wanted = '', email = '']: Words,
  own: Own & { mail?: boolean },
): Promise<number> {
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new UsageError(`"${clean(email)}" is not an e-mail address.`)
  const { scenario, place } = await scenarioOf(context, wanted)
  const mail = own.mail === true
  return await changeAccess(
    context,
    {
      change: { do: 'invite', email, mail },
      scenario,
      effect: `This invites ${clean(email)} to ${clean(scenario.name)}`,
      endpoint: contract.userTesting.upsertMember,
      input: { ...place, body: { email, ...(mail && { sendInviteEmail: true }) } },
      notes: () => [{ kind: 'member', member: email, change: 'invited' }],
      result: invitationCode,
    },
    own,
  )
}

/** Runs `mcpdeck remove-member`. */
export async function removeMember(
  context: CommandContext,
  [wanted = '', member = '']: Words,
  own: Own,
): Promise<number> {
  const { scenario, place } = await scenarioOf(context, wanted)
  return await changeAccess(
    context,
    {
      change: { do: 'remove', member },
      scenario,
      effect: `This removes ${clean(member)} from ${clean(scenario.name)}`,
      endpoint: contract.userTesting.removeMember,
      input: { ...place, memberIdOrEmail: member },
      notes: () => [{ kind: 'member', member, change: 'removed' }],
    },
    own,
  )
}

async function scenarioOf(context: CommandContext, wanted: string) {
  const scenario = (await context.find('scenarios', wanted)) as unknown as ProjectScenario
  return { scenario, place: { projectId: await context.projectId(), scenarioId: scenario.id } }
}
