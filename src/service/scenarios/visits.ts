import * as z from 'zod'
import type { Store } from '../core/database/store.ts'
import { ServiceError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { takeOne, type RateLimit } from '../core/organization-limits.ts'
import type { RateBucket } from '../core/database/rows.ts'
import { admit, NEEDS, whyEnded, type Credentials, type Visitor, sessionEnded } from './access.ts'
import { createAnswers, type AnswersOptions } from './answers.ts'
import type { ScenarioRow } from './rows.ts'
import { fits, lookupOf, mintSecret, type Minted } from './secrets.ts'
import type { VisitorMessageRow, VisitorSessionRow } from './visitor-session-rows.ts'
import { shape } from '../../api/contract/shapes.ts'

export const Opening = shape(() => z.strictObject({ invitation: z.string().max(200).optional() }).optional())

export const Message = shape(() =>
  z.strictObject({
    text: z
      .string()
      .max(8000)
      .refine(text => text.trim() !== '', { error: 'must not be blank' }),
  }),
)

export const Feedback = shape(() =>
  z
    .strictObject({ rating: z.int().min(1).max(5).optional(), comment: z.string().max(2000).optional() })
    .refine(({ rating, comment }) => rating !== undefined || comment !== undefined, {
      error: 'at least one field is needed',
    }),
)

/** What is known about a visitor's program without asking. */
export type VisitorProgram = { deviceKind: string | null; language: string | null }

export type Visits = ReturnType<typeof createVisits>

declare module '../core/context.ts' {
  interface ServiceContext {
    visits: Visits
    /** Returns the origin at which visitors reach this workspace, such as `http://127.0.0.1:4747`. */
    visitOrigin: () => string
  }
}

/** Rate limits for opening sessions with one link, and for messages in one session. */
const PER_LINK = { perMinute: 60, burst: 30 }
const PER_SESSION = { perMinute: 20, burst: 5 }
/**
 * Rate limit of wrong links and tokens, shared by everybody. Even a secret that cannot be guessed may be tried only so
 * often.
 */
const WRONG = { perMinute: 60, burst: 30 }

/**
 * Creates the visitors' access to published scenarios. A link or token is found by its public part, then compared as a
 * whole.
 */
export function createVisits(options: AnswersOptions) {
  const { store, now } = options
  const answers = createAnswers(options)
  const attempts = createAttempts(now)

  const { byLink, living } = createSecretLookup(options, attempts)
  const show = (scenario: ScenarioRow, { id, startedAt, displayName }: VisitorSessionRow) => ({
    session: { id, startedAt, displayName },
    scenario: toShown(scenario),
  })
  const transcript = (sessionId: string) => store.visitorSessions.messages.all(sessionId).map(toSaid)

  return {
    /**
     * Describes the scenario of a link, and what a visitor needs to enter besides the link.
     * @throws ServiceError `NOT_FOUND`
     */
    describe: (link: string) => store.read(() => toShown(byLink(link))),

    /**
     * Opens a session and returns its token, which cannot be read again.
     * @throws ServiceError `NOT_FOUND`, `RATE_LIMITED`, and as {@link admit}
     */
    redeem(link: string, credentials: Credentials, program: VisitorProgram) {
      const { linkLookup } = store.read(() => byLink(link))
      attempts.take(`link/${linkLookup}`, PER_LINK)
      return store.write(() => {
        const scenario = byLink(link)
        const visitor = admit(store, scenario, credentials)
        const { token, session } = insertSession(store, scenario, { ...visitor, ...program }, now())
        return { token, ...show(scenario, session) }
      })
    },

    /** Returns an open session. @throws ServiceError `UNAUTHORIZED` saying why it has ended */
    session: (token: string) =>
      store.read(() => {
        const session = living(token)
        const scenario = store.scenarios.getEver(session.scenarioId)
        if (!scenario) throw sessionEnded(undefined)
        return show(scenario, session)
      }),

    /** Returns the messages of an open session, oldest first. @throws ServiceError `UNAUTHORIZED` */
    messages: (token: string) => store.read(() => ({ items: transcript(living(token).id) })),

    /** Answers a visitor's message. @throws ServiceError as `Answers.say`, and `RATE_LIMITED` */
    async say(token: string, text: string, signal: AbortSignal) {
      const { id } = store.read(() => living(token))
      attempts.take(`session/${id}`, PER_SESSION)
      const rows = await answers.say(id, text, signal)
      return { items: rows.map(toSaid) }
    },

    /** Stores the feedback. The latest one is kept, and all are counted. @throws ServiceError `UNAUTHORIZED` */
    rate: (token: string, feedback: z.output<typeof Feedback>) =>
      store.write(() => {
        noteFeedback(store, living(token), feedback, now())
        return { noted: true }
      }),

    /** Ends the visitor's own session. @throws ServiceError `UNAUTHORIZED` if it has already ended */
    end(token: string) {
      store.write(() => endByVisitor(store, living(token), now()))
      answers.abortEnded()
      return { ended: true }
    },

    abortEnded: answers.abortEnded,
  }
}

/** Finds the scenario or the session of a secret. All wrong secrets share one rate limit. */
function createSecretLookup({ store, now }: AnswersOptions, attempts: Attempts) {
  const byLink = (link: string): ScenarioRow => {
    const lookup = lookupOf('link', link)
    const row = lookup === undefined ? undefined : store.scenarios.findByLink(lookup)
    if (row && fits(row.linkHash, link)) return row
    attempts.take('wrong', WRONG)
    throw new ServiceError('NOT_FOUND', 'This link is not valid, or no longer. Ask its owner for the current one.')
  }
  const byToken = (token: string): VisitorSessionRow => {
    const lookup = lookupOf('session', token)
    const row = lookup === undefined ? undefined : store.visitorSessions.findByToken(lookup)
    if (row && fits(row.tokenHash, token)) return row
    attempts.take('wrong', WRONG)
    throw sessionEnded(undefined)
  }
  /** @throws ServiceError `UNAUTHORIZED` with the reason, if the session has ended */
  const living = (token: string): VisitorSessionRow => {
    const session = byToken(token)
    const ending = whyEnded(store, session, now())
    if (ending) throw sessionEnded(ending)
    return session
  }
  return { byLink, living }
}

/** Creates a session for an admitted visitor, inside the caller's transaction. Its token cannot be read later. */
export function insertSession(
  store: Store,
  scenario: ScenarioRow,
  visitor: Visitor & VisitorProgram,
  now: number,
): { token: string; session: VisitorSessionRow } {
  const known = visitor.authType === 'signedIn' && store.visitorSessions.knows(scenario.id, visitor)
  const recency = visitor.authType === 'guest' ? null : known ? 'returning' : 'new'
  const minted = mintSecret('session')
  const session = newSession(scenario, { ...visitor, recency }, minted, now)
  store.visitorSessions.insert(session)
  return { token: minted.secret, session }
}

/** Stores the latest rating and comment and counts the feedback, inside the caller's transaction. */
export function noteFeedback(
  store: Store,
  session: VisitorSessionRow,
  { rating, comment }: z.output<typeof Feedback>,
  now: number,
): void {
  store.visitorSessions.update({
    ...session,
    rating: rating ?? session.rating,
    comment: comment ?? session.comment,
    feedbackCount: session.feedbackCount + 1,
    lastActivityAt: now,
  })
}

/** Ends a session on behalf of its visitor, inside the caller's transaction. */
export function endByVisitor(store: Store, session: VisitorSessionRow, now: number): void {
  store.visitorSessions.update({ ...session, lastActivityAt: now, endedAt: now, endedBy: 'visitor' })
}

function newSession(
  scenario: ScenarioRow,
  visitor: Visitor & VisitorProgram & Pick<VisitorSessionRow, 'recency'>,
  { lookup, hash }: Minted,
  now: number,
): VisitorSessionRow {
  return {
    id: newId('ses'),
    scenarioId: scenario.id,
    tokenLookup: lookup,
    tokenHash: hash,
    accessVersion: scenario.accessVersion,
    ...visitor,
    modelId: null,
    authInterrupted: false,
    rating: null,
    comment: null,
    feedbackCount: 0,
    startedAt: now,
    lastActivityAt: now,
    endedAt: null,
    endedBy: null,
  }
}

function toShown({ name, description, mode }: ScenarioRow) {
  return { name, description, mode, needs: NEEDS[mode] }
}

/**
 * Converts a message for its visitor. Of a call the visitor sees only the tool and whether it succeeded, since the rest
 * is for the owner.
 */
function toSaid({ role, text, toolName, isError, createdAt }: VisitorMessageRow) {
  if (role === 'tool') return { role, toolName, isError, createdAt }
  return { role, text: role === 'system' ? 'There was no answer.' : text, createdAt }
}

/** Rate limits for strangers. They are kept in this process and not in the database. */
type Attempts = {
  /** @throws ServiceError `RATE_LIMITED` with the whole seconds after which the next attempt is allowed */
  take(what: string, limit: RateLimit): void
}

/** Maximum number of buckets. Beyond it the least recently used bucket is dropped, which resets its limit. */
const MAX_BUCKETS = 10_000

function createAttempts(now: () => number): Attempts {
  const buckets = new Map<string, RateBucket>()
  return {
    take(what, limit) {
      const { bucket, waitMs } = takeOne(buckets.get(what), limit, now())
      // The bucket is moved to the end, so that the first one is the least recently used.
      buckets.delete(what)
      buckets.set(what, bucket)
      const [oldest] = buckets.keys()
      if (buckets.size > MAX_BUCKETS && oldest !== undefined) buckets.delete(oldest)
      if (waitMs === 0) return
      const retryAfterSeconds = Math.ceil(waitMs / 1000)
      throw new ServiceError('RATE_LIMITED', `Too many requests; try again in ${retryAfterSeconds} s.`, {
        retryAfterSeconds,
      })
    },
  }
}
