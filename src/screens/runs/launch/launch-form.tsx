import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { newIdempotencyKey } from '../../../api/contract/endpoint.ts'
import { contract } from '../../../api/contract/contract.ts'
import type { EvalCase, EvalSuiteDetail } from '../../../api/contract/suites.ts'
import type { LaunchRefusal } from '../../../domain/runs/launch-refusal.ts'
import { refresh } from '../../../api/client/cache/queries.ts'
import type { EvalRunGroupCreated } from '../../../api/contract/run-groups.ts'
import type { LaunchRequest } from '../../../domain/runs/launch-rules.ts'
import type { SlotHolder } from '../../../domain/runs/launch-slots.ts'
import type { Pin } from '../../../domain/runs/pins.ts'
import { useTheme } from '../../../tui/theme/theme-context.tsx'
import { YES } from '../../../components/form/field-input.ts'
import { FieldsForm, type FormText } from '../../../components/form/fields-form.tsx'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { draftedLaunch, emptyDraft, type LaunchDraft } from './draft.ts'
import { environmentName, suiteName, type LaunchFacts, type Preview } from './facts.ts'
import { launchFields, type LaunchFormField, type MenuPick, type Refused } from './fields.ts'
import { outcomeLines } from './group-outcome.ts'
import { useLaunchFacts } from './use-launch-facts.ts'
import { actSentence, effectLines } from './labels.ts'

/** The started runs of a launch, for following them; a run group reports the result of each target. */
export type Launched = { pins: readonly Pin[]; deduped: boolean; group?: EvalRunGroupCreated }

export type LaunchIntent = {
  projectId: string
  request: LaunchRequest
  /** Environments to attach to the suite first. */
  attach: readonly string[]
  /** One key for the whole intent, kept across retries and while it waits for a slot. */
  idempotencyKey: string
}

/** How a launch that was sent ended. */
export type Outcome =
  | { kind: 'launched'; launched: Launched }
  | { kind: 'refused'; refusal: LaunchRefusal; needsGrant: boolean; holders: readonly SlotHolder[] }
  /** The request failed, which was already reported. */
  | { kind: 'failed' }

export type LaunchFormProps = {
  projectId: string
  suite: EvalSuiteDetail
  cases: readonly EvalCase[]
  /** Cases that the person marked. */
  marked: readonly string[]
  /** Sends the launch and reports the outcome. If a run was started, closes the form and opens the run. */
  onSend: (intent: LaunchIntent, follow: boolean) => Promise<Outcome>
  /** An option that leaves the form; `intent` is the current launch. */
  onPick: (value: string, intent: LaunchIntent, follow: boolean) => void | Promise<void>
  onClose: () => void
}

type LaunchError = Omit<Extract<Outcome, { kind: 'refused' }>, 'kind' | 'refusal'> & {
  refusal?: LaunchRefusal
  lines: readonly FormText[]
}
const NO_LAUNCH_ERROR: LaunchError = { needsGrant: false, holders: [], lines: [] }

/** Shows the form of a launch: what would be refused is shown at its field, the effect above the answers. */
export function LaunchForm(props: LaunchFormProps) {
  const { projectId } = props
  const { symbols } = useTheme()
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState(() => emptyDraft(props.marked))
  const [trouble, setLaunchError] = useState(NO_LAUNCH_ERROR)
  const read = useLaunchFacts({ ...props, draft })
  const slotHolders = trouble.holders.filter(({ runId }) => !read.ended.has(runId))
  const facts = { ...read, inFlight: slotHolders.length > 0 ? slotHolders : read.inFlight }
  const launch = draftedLaunch(facts, draft)
  const keyOf = useIntentKey()
  const changesOf = useEnvironmentChanges(projectId)
  const isSending = useRef(false)
  const intent = (): LaunchIntent => {
    const { request, attach } = launch
    return { projectId, request, attach, idempotencyKey: keyOf({ ...request, modelApiKeys: undefined }) }
  }
  const follow = draft.follow === YES
  const onPick: MenuPick = value => props.onPick(value, intent(), follow)
  const fields = launchFields(facts, draft, launch, refusedOf(trouble), onPick)
  const send = async (): Promise<string | undefined> => {
    const wrong = fields.find(({ id }) => launch.errors[id as keyof typeof launch.errors] !== undefined)
    if (wrong) return wrong.id
    const changes = await changesOf(facts, launch.targets.environmentIds)
    if (changes.length > 0) {
      setLaunchError({ ...NO_LAUNCH_ERROR, lines: changes })
      return 'environments'
    }
    const outcome = await props.onSend(intent(), follow)
    if (outcome.kind === 'failed') return undefined
    if (outcome.kind === 'launched') {
      const { group, pins } = outcome.launched
      if (group && pins.length === 0) setLaunchError({ ...NO_LAUNCH_ERROR, lines: outcomeLines(group, symbols) })
      return undefined
    }
    const { refusal } = outcome
    const lines = refusal.isStale ? await changesOf(facts, launch.targets.environmentIds) : []
    if (refusal.isStale) for (const each of [contract.suites.update, contract.cases.create]) refresh(queryClient, each)
    setLaunchError({ ...outcome, lines })
    return refusal.waitsForSlot ? 'slots' : fieldOf(refusal)
  }
  /** A second press while the first is in progress must not launch twice. */
  const act = async (): Promise<string | undefined> => {
    if (isSending.current) return undefined
    isSending.current = true
    try {
      return await send()
    } finally {
      isSending.current = false
    }
  }
  return (
    <FieldsForm
      fields={fields}
      texts={fields.map(field => textOf(field, draft))}
      onText={(index, text) => {
        const { id } = fields[index]!
        setDraft(withText(draft, id, text))
        // The offered models stay while one of them is tried.
        setLaunchError(before => ({ ...before, lines: [], ...(before.refusal && { refusal: quiet(before.refusal) }) }))
      }}
      about={[{ text: `A run of ${suiteName(facts.suite)}.`, tone: 'muted' }]}
      effect={[...launchErrorLines(trouble, fields), ...effectLines(facts, launch)]}
      act={actSentence(facts, launch)}
      onAct={act}
      onCancel={props.onClose}
    />
  )
}

/** Returns the same key as long as the launch is the same, so that repeating a lost one launches nothing twice. */
function useIntentKey(): (content: object) => string {
  const last = useRef({ content: '', key: '' })
  return content => {
    const text = JSON.stringify(content)
    if (text !== last.current.content) last.current = { content: text, key: newIdempotencyKey() }
    return last.current.key
  }
}

/** Reads the environments of a launch again, and reports how they differ from what the person saw. */
function useEnvironmentChanges(projectId: string) {
  const { queries } = useWorkspace()
  const queryClient = useQueryClient()
  return async (facts: LaunchFacts, environmentIds: readonly string[]): Promise<FormText[]> => {
    const fresh = await Promise.all(
      environmentIds.map(async (environmentId): Promise<Preview> => {
        const options = { ...queries.environments.resolve.options({ projectId, environmentId }), staleTime: 0 }
        // An environment that cannot run is reported at its field, other failures when the launch is sent.
        return await queryClient.fetchQuery(options).then(
          resolved => ({ resolved }),
          () => ({}),
        )
      }),
    )
    return environmentIds.flatMap((id, index): FormText[] => {
      const before = facts.previews.get(id)?.resolved?.environment.revision
      const now = fresh[index]?.resolved?.environment.revision
      if (before === undefined || now === undefined || before === now) return []
      const text =
        `${environmentName(facts, id)} was revision ${before} when this was read, and is ${now} now. Look at ` +
        'what it resolves to, then launch again.'
      return [{ text, tone: 'warn' }]
    })
  }
}

function refusedOf({ refusal, needsGrant }: LaunchError): Refused {
  const text = refusal && refusal.text.sentence !== '' ? sentenceOf(refusal) : undefined
  const field = refusal?.waitsForSlot ? 'slots' : refusal && fieldOf(refusal)
  return {
    errors: field === undefined || text === undefined ? {} : { [field]: text },
    hostedModels: refusal?.hostedModels ?? [],
    needsGrant,
  }
}

/** Returns the form's name of the field that a refusal concerns. */
function fieldOf({ field }: LaunchRefusal): string | undefined {
  return field === 'modelKeys' ? 'key' : field
}

export function sentenceOf({ text }: LaunchRefusal): string {
  return `${text.sentence} ${text.next}`
}

/** Returns a refusal without its message, since the person is already responding to it; what it offered stays. */
function quiet(refusal: LaunchRefusal): LaunchRefusal {
  return { ...refusal, text: { sentence: '', next: '' } }
}

/** Returns the refusal, unless a field of the form shows it, and the further lines of the error. */
function launchErrorLines(launchError: LaunchError, fields: readonly LaunchFormField[]): FormText[] {
  const { refusal, lines } = launchError
  const { errors } = refusedOf(launchError)
  const isTold = fields.some(({ id }) => errors[id] !== undefined)
  const said = !isTold && refusal && refusal.text.sentence !== '' ? sentenceOf(refusal) : undefined
  return [...(said === undefined ? [] : [{ text: said, tone: 'error' as const }]), ...lines]
}

function textOf({ id }: LaunchFormField, draft: LaunchDraft): string {
  if (id === 'offered') return draft.model
  return id === 'lead' || id === 'slots' || id === 'elsewhere' ? '' : draft[id]
}

function withText(draft: LaunchDraft, id: LaunchFormField['id'], text: string): LaunchDraft {
  return { ...draft, [id === 'offered' ? 'model' : id]: text }
}
