import type * as z from 'zod'
import type { JourneyGenerateRequest } from '../../api/contract/journeys.ts'
import type { PersonaGenerateRequest } from '../../api/contract/personas.ts'
import {
  DRAFTING_DEADLINE_MS,
  type GenerationDrafts,
  type JourneyDraft,
  type PersonaDraft,
} from '../../api/contract/swarm-shapes.ts'
import { ServiceError } from '../core/errors.ts'
import type { ServiceContext } from '../core/context.ts'
import { withDeadline, askForObject, requireModel } from '../models/ask.ts'
import type { ProjectRow } from '../core/access/rows.ts'
import { invalidField } from '../core/validation.ts'
import {
  DraftedJourneys,
  DraftedPersonas,
  draftingInstructions,
  draftingPrompt,
  type DraftedJourney,
  type DraftedPersona,
} from './prompt.ts'
import { groundingServers, listGrounding, type Grounding } from './grounding.ts'
import { cut } from './text.ts'

type Context = Pick<ServiceContext, 'store' | 'connections' | 'targets' | 'quotas' | 'models'>
type PersonaRequest = z.output<typeof PersonaGenerateRequest>
type JourneyRequest = z.output<typeof JourneyGenerateRequest>

/** Journeys of a persona where the request does not say how many, and the most that one answer can hold. */
const JOURNEYS = { usual: 3, most: 20, mostOfAll: 60 } as const
/** What a create of the draft would take. */
const CHARS = { name: 120, role: 120, notes: 2000, journeyName: 200, goal: 4000 } as const
/** Ends before the caller's own wait does, so that the reason arrives. */
const DEADLINE_MS = DRAFTING_DEADLINE_MS - 10_000

/**
 * Drafts personas with journeys; nothing is kept. The request is counted once it is known that a model is configured
 * and that the servers are there.
 * @throws ServiceError `FEATURE_NOT_SUPPORTED` without a model, `RATE_LIMITED`, `NOT_FOUND`, `CONFLICT`,
 *   `VALIDATION_ERROR`, `TIMEOUT`, and as connections and the model refuse
 */
export async function draftPersonas(
  context: Context,
  project: ProjectRow,
  request: PersonaRequest,
  signal: AbortSignal,
  deadlineMs: number = DEADLINE_MS,
): Promise<GenerationDrafts> {
  const { personaCount, journeyCount = JOURNEYS.usual, description, existingPersonas } = request
  const wanted = personaCount ?? 1
  requireJourneyCount(journeyCount, wanted)
  return withDeadline(deadlineMs, signal, async inTime => {
    const grounding = await ground(context, project, request, inTime)
    const task =
      `Draft exactly ${wanted} persona(s) with exactly ${journeyCount} journey(s) each, other people than those in ` +
      '<existing_personas>, and such as <brief> asks for where it is there.'
    const parts = { grounding, brief: description, existing: existingPersonas }
    const drafting = { task, shape: DraftedPersonas(), shapeName: 'personas', parts }
    const answer = await ask(context, drafting, inTime)
    const drafts = answer.personas.flatMap(persona => {
      const draft = toPersonaDraft(persona)
      const journeys = toJourneyDrafts(persona.journeys, grounding).slice(0, journeyCount)
      return draft && journeys.length > 0 ? [{ persona: draft, journeys }] : []
    })
    const [first] = drafts
    if (!first) throw nothingDrafted()
    return personaCount === undefined ? first : { personas: drafts.slice(0, wanted) }
  })
}

/** Drafts journeys for one persona; nothing is kept. @throws ServiceError as for {@link draftPersonas} */
export async function draftJourneys(
  context: Context,
  project: ProjectRow,
  request: JourneyRequest,
  signal: AbortSignal,
  deadlineMs: number = DEADLINE_MS,
): Promise<GenerationDrafts> {
  const { persona, journeyCount = JOURNEYS.usual, description } = request
  requireJourneyCount(journeyCount, 1)
  return withDeadline(deadlineMs, signal, async inTime => {
    const grounding = await ground(context, project, request, inTime)
    const task = `Draft exactly ${journeyCount} journey(s) for the person in <persona>, such as <brief> asks for where it is there.`
    const parts = { grounding, brief: description, persona }
    const drafting = { task, shape: DraftedJourneys(), shapeName: 'journeys', parts }
    const answer = await ask(context, drafting, inTime)
    const journeys = toJourneyDrafts(answer.journeys, grounding).slice(0, journeyCount)
    if (journeys.length === 0) throw nothingDrafted()
    return { journeys }
  })
}

/** What can be refused is refused before the request counts; only then the servers are asked. */
async function ground(
  { store, connections, targets, quotas, models }: Context,
  project: ProjectRow,
  source: PersonaRequest | JourneyRequest,
  signal: AbortSignal,
): Promise<Grounding> {
  requireModel({ configured: models, keys: {} })
  const servers = store.write(() => {
    const found = groundingServers(store, project.id, source)
    quotas.take(project.organizationId, 'generation')
    return found
  })
  return listGrounding({ connections, targets }, servers, signal)
}

type Drafting<T> = { task: string; shape: z.ZodType<T>; shapeName: string; parts: Parameters<typeof draftingPrompt>[0] }

async function ask<T>(
  { models }: Context,
  { task, shape, shapeName, parts }: Drafting<T>,
  signal: AbortSignal,
): Promise<T> {
  const instructions = draftingInstructions(task)
  const question = { instructions, prompt: draftingPrompt(parts), shape, shapeName, signal }
  return (await askForObject({ configured: models, keys: {} }, question)).value
}

/** The contract states no bound, so this one is ours. @throws ServiceError `VALIDATION_ERROR` */
function requireJourneyCount(journeyCount: number, personas: number): void {
  const most = Math.min(JOURNEYS.most, Math.floor(JOURNEYS.mostOfAll / personas))
  if (journeyCount < 1 || journeyCount > most)
    throw invalidField('journeyCount', `must be from 1 to ${most} for ${personas} persona(s)`)
}

function toPersonaDraft({ name, role, notes }: DraftedPersona): PersonaDraft | undefined {
  const draft = { name: cut(name.trim(), CHARS.name), role: cut(role.trim(), CHARS.role) }
  if (draft.name === '' || draft.role === '') return undefined
  return { ...draft, ...(notes.trim() !== '' && { notes: cut(notes.trim(), CHARS.notes) }) }
}

/** A check is suggested only for tools that are there, whatever the model says. */
function toJourneyDrafts(drafted: readonly DraftedJourney[], { toolNames }: Grounding): JourneyDraft[] {
  return drafted.flatMap(({ name, goal, toolNames: suggested }) => {
    const wanted = cut(goal.trim(), CHARS.goal)
    if (wanted === '') return []
    const known = [...new Set(suggested)].filter(toolName => toolNames.has(toolName))
    return {
      ...(name.trim() !== '' && { name: cut(name.trim(), CHARS.journeyName) }),
      goal: wanted,
      suggestedChecks: known.map(toolName => ({ type: 'toolCalledAtLeastOnce', toolName })),
    }
  })
}

function nothingDrafted(): ServiceError {
  return new ServiceError('INTERNAL_ERROR', 'The model drafted nothing that can be used; ask again.')
}
