import * as z from 'zod'
import { openObject, record, shape, strictBody } from './shapes.ts'

/** Size of a launch: sessions in all = targets × `sessionsPerTarget`, each of up to `maxTurns` turns. */
export const fanOut = () => ({ sessionsPerTarget: z.int().min(1).max(100), maxTurns: z.int().min(1).max(200) })

/** Environments to fan out over; `[]` is refused because it would read as "these, naming none". */
export const environmentIds = shape(() => z.array(z.string()).min(1))

/** A drafted persona; nothing of it is stored. */
export const PersonaDraft = shape(() =>
  record({ name: z.string(), role: z.string().nullish(), notes: z.string().nullish() }),
)
export type PersonaDraft = z.infer<typeof PersonaDraft>

/** A drafted journey; `suggestedChecks` are assertions that need no model. */
export const JourneyDraft = shape(() =>
  record({ name: z.string().nullish(), goal: z.string(), suggestedChecks: z.array(openObject()).nullish() }),
)
export type JourneyDraft = z.infer<typeof JourneyDraft>

/**
 * Drafts in the form that the request chose: journeys alone; `persona` with `journeys`;
 * or `personas` where `personaCount` was sent.
 */
export const GenerationDrafts = shape(() =>
  record({
    persona: PersonaDraft().nullish(),
    personas: z
      .array(record({ persona: PersonaDraft().nullish(), journeys: z.array(JourneyDraft()).nullish() }))
      .nullish(),
    journeys: z.array(JourneyDraft()).nullish(),
  }),
)
export type GenerationDrafts = z.infer<typeof GenerationDrafts>

/** What drafts are grounded in; exactly one of the two (contract: "Journey-draft request fields"). */
export const grounding = () => ({ serverAttachmentId: z.string().optional(), environmentId: z.string().optional() })

/** Fields that both drafting requests take; the service states no bound for `journeyCount`. */
export const draftFields = () => ({
  ...grounding(),
  journeyCount: z.int().optional(),
  description: z.string().max(2000).optional(),
})

/** A persona by value, because drafts are made before anything is saved. */
export const PersonaInput = shape(() =>
  strictBody({ name: z.string(), role: z.string(), notes: z.string().optional() }),
)

/** A model answers these while the caller waits; giving up early would still use up quota. */
export const DRAFTING_DEADLINE_MS = 100_000

/** What saving a persona, a journey or a swarm declares. */
export const saving = {
  status: 201,
  errors: ['VALIDATION_ERROR', 'CONFLICT'],
  risk: 'write',
  idempotency: 'header',
  gate: 'swarms',
  source: 'prose',
} as const

/** What drafting declares; `spend` stands for the daily quota: it takes no credits (differences, row 9). */
export const drafting = {
  response: GenerationDrafts,
  risk: 'spend',
  idempotency: 'none',
  gate: 'swarms',
  deadlineMs: DRAFTING_DEADLINE_MS,
  source: 'prose',
} as const
