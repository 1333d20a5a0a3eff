import type * as z from 'zod'
import { caseExtras, type EvalCaseGenerateRequest, type EvalCaseGenerated } from '../../../api/contract/suite-extras.ts'
import { createCaseBatch } from '../batch.ts'
import { toEvalCase } from '../records.ts'
import { ServiceError } from '../../core/errors.ts'
import { digest } from '../../core/canonical.ts'
import type { ServiceContext } from '../../core/context.ts'
import { withDeadline, askForObject, requireModel } from '../../models/ask.ts'
import { chooseTarget } from '../../suites/target.ts'
import { requireServers } from '../../servers/records.ts'
import type { ProjectRow } from '../../core/access/rows.ts'
import type { ServerRow } from '../../servers/rows.ts'
import type { Store } from '../../core/database/store.ts'
import type { SuiteRow } from '../../suites/rows.ts'
import { requireConfigurable, requireSuite } from '../../suites/records.ts'
import { casesOf, Drafts, draftingInstructions, draftingPrompt } from './drafts.ts'
import { mixOf } from './mix.ts'
import { discoverTools } from './tools.ts'

type Request = NonNullable<z.output<typeof EvalCaseGenerateRequest>>

export type GenerationCall = {
  project: ProjectRow
  suiteId: string
  keyId: string
  body: Request
  /** Of the header, which goes before the body's. */
  idempotencyKey: string | undefined
  signal: AbortSignal
}

/** What one request of a model came to; recorded before a case is written, so that a repeat asks no model. */
type Recorded = { generationModel: string } & ReturnType<typeof casesOf>

/** What was written of it. */
type Written = { caseIds: string[]; skipped: Record<string, unknown>[] }

/** Ends before the caller's own wait does, so that the reason arrives. */
const DEADLINE_MS = (caseExtras.generate.deadlineMs ?? 0) - 10_000

/** Titles of the suite that the model is shown. */
const MAX_TITLES = 200

/**
 * Has a model draft cases from the live tools of the suite's servers, and writes those that can be run. A repeat under
 * the same key uses the recorded drafts: it asks no server and no model, and counts nothing.
 * @throws ServiceError `FEATURE_NOT_SUPPORTED` without a model, `RATE_LIMITED`, `CONFLICT` for a key that was used for
 *   another request, `TIMEOUT`, and as `chooseTarget`, connections and the model refuse
 */
export async function generateCases(context: ServiceContext, call: GenerationCall): Promise<EvalCaseGenerated> {
  const { store } = context
  const { idempotencyKey: bodyKey, ...content } = call.body
  const key = call.idempotencyKey ?? bodyKey
  const records = recordsOf(store, call, key, digest(content))
  const earlier = store.read(records.drafts)
  const recorded = earlier ?? records.keep(await draftCases(context, call))
  return store.write(() => {
    const suite = configurableSuite(store, call)
    const known = records.written()
    const written = known ?? writeCases(store, suite, recorded, call.body.caseModels)
    if (!known) records.note(written)
    const created = written.caseIds.flatMap(id => store.cases.get(suite.id, id) ?? []).map(toEvalCase)
    const negative = created.filter(({ isNegative }) => isNegative).length
    return {
      generationModel: recorded.generationModel,
      created,
      counts: { normal: created.length - negative, negative },
      skipped: written.skipped,
    }
  })
}

/** What is kept under the key of a request; without a key nothing is. */
function recordsOf(store: Store, { suiteId, keyId }: GenerationCall, key: string | undefined, bodyDigest: string) {
  const owner = `${suiteId}/${keyId}`
  const find = <T>(scope: string): T | undefined => {
    const row = key === undefined ? undefined : store.idempotency.find(`${scope}/${owner}`, key)
    if (row && row.digest !== bodyDigest)
      throw new ServiceError('CONFLICT', 'Other cases were generated under this idempotency key before.', {
        details: { field: 'idempotencyKey' },
      })
    return row?.reply as T | undefined
  }
  const insert = (scope: string, value: unknown) => {
    if (key !== undefined) store.idempotency.insert(`${scope}/${owner}`, key, bodyDigest, value)
  }
  const drafts = () => find<Recorded>('cases.generate')
  return {
    drafts,
    /** Of two requests under one key that were drafted at once, the first one's drafts stand. */
    keep: (recorded: Recorded): Recorded =>
      store.write(() => {
        const first = drafts()
        if (!first) insert('cases.generate', recorded)
        return first ?? recorded
      }),
    written: () => find<Written>('cases.generated'),
    note: (written: Written) => insert('cases.generated', written),
  }
}

/** What can be refused is refused before the request counts; only then the servers are asked. */
async function draftCases(context: ServiceContext, call: GenerationCall): Promise<Recorded> {
  const { store, quotas } = context
  const { body, project } = call
  const access = { configured: context.models, keys: {} }
  const mix = mixOf(body)
  requireModel(access)
  const { servers, titles } = store.write(() => {
    const suite = configurableSuite(store, call)
    const found = serversFor(store, suite, body)
    quotas.take(project.organizationId, 'generation')
    return { servers: found, titles: store.cases.list(suite.id).map(({ title }) => title) }
  })
  return withDeadline(DEADLINE_MS, call.signal, async signal => {
    const { known, shown } = await discoverTools(context, servers, signal)
    const { value, model } = await askForObject(access, {
      instructions: draftingInstructions(mix, body.varyUserStyles ?? false),
      prompt: draftingPrompt(shown, titles.slice(-MAX_TITLES)),
      shape: Drafts(),
      shapeName: 'cases',
      signal,
    })
    if (value.cases.length === 0)
      throw new ServiceError('INTERNAL_ERROR', 'The model drafted no case at all; ask again.')
    return { generationModel: model, ...casesOf(value.cases, { mix, known }) }
  })
}

/**
 * An environment brings its own servers, and `servers` is ignored then (contract: "Ignored when environment-based").
 */
function serversFor(store: Store, suite: SuiteRow, { servers, environmentId }: Request): ServerRow[] {
  const hasEnvironments = (suite.settings.environmentIds ?? []).length > 0
  const named = !hasEnvironments && servers?.length ? requireServers(store, suite.projectId, servers) : undefined
  return chooseTarget(store, suite, { environmentId, serverIds: named?.map(({ id }) => id) }).servers
}

function writeCases(
  store: Store,
  suite: SuiteRow,
  { cases, unusable }: Recorded,
  models: Request['caseModels'],
): Written {
  const entries = cases.map(entry => ({ ...entry, ...(models && { models }) }))
  const { created, failed } = createCaseBatch(store, suite, { cases: entries }, undefined)
  return {
    caseIds: created.map(({ id }) => id),
    skipped: [...unusable, ...failed.map(({ index: _index, ...why }) => why)],
  }
}

function configurableSuite(store: Store, { project, suiteId }: GenerationCall): SuiteRow {
  const suite = requireSuite(store, project.id, suiteId)
  requireConfigurable(store, suite)
  return suite
}
