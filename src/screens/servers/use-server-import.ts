import { isPlainRead } from '../../api/client/cache/cache-contents.ts'
import { failureSentence } from '../../api/client/errors/error-text.ts'
import { contract } from '../../api/contract/contract.ts'
import { choiceField, useFormDialog, type FormFieldSpec } from '../../components/form/form-dialog.tsx'
import { useConfirm } from '../../components/confirm.tsx'
import { useOpening } from '../../components/opening.tsx'
import { useReview, type ReviewQuestion } from '../../components/review.tsx'
import { useTextOverlay } from '../../components/text-overlay.tsx'
import { useToasts } from '../../components/toasts.tsx'
import type { Line } from '../../components/viewer.tsx'
import { addressQuestions } from '../../domain/documents/address-questions.ts'
import type { Step } from '../../domain/documents/plan.ts'
import type { Outcome } from '../../domain/documents/send.ts'
import type { DocumentStore } from '../../domain/documents/store.ts'
import type { Chosen, ImportPlan, ServerFiles } from '../../domain/servers/files/importing.ts'
import type { Missing, VariableContext } from '../../domain/servers/files/variables.ts'
import { reachSentences, takenSentences } from '../../domain/documents/taken.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWrites } from '../../hooks/use-write.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'
import { plural } from '../../lib/format.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Symbols, Tone } from '../../tui/theme/theme.ts'
import { useForgetAnswers } from './checks.ts'
import { lineOf, useImportPicker } from './import-picker.tsx'

const NOTHING_FOUND = 'No MCP servers were found in the working directory or where known programs keep theirs.'
/** Message if no files of this machine can be read. */
export const NO_FILES = 'Files of other programs cannot be read from here.'

/** Saves servers from files of other programs, after a person has chosen among them; reports each result. */
export function useServerImport(projectId: string): (find: ServerFiles['find']) => Promise<void> {
  const { client, serverFiles } = useWorkspace()
  const { symbols } = useTheme()
  const opening = useOpening(useRunTask())
  const toasts = useToasts()
  const pick = useImportPicker()
  const ask = useFormDialog()
  const confirm = useConfirm()
  const review = useReview()
  const write = useWrites()
  const showText = useTextOverlay()
  const forgetAnswers = useForgetAnswers(projectId)

  /** Undefined if the person leaves the form. */
  const answersTo = async (missing: readonly Missing[]): Promise<ReadonlyMap<string, string> | undefined> => {
    const needed = [...new Map(missing.map(each => [each.reference, each])).values()]
    if (needed.length === 0) return new Map()
    const values = await ask({
      title: 'What the servers need',
      about: [
        {
          text: 'The files refer to these values without containing them. They are saved with the servers.',
          tone: 'muted',
        },
      ],
      fields: needed.map(fieldOf),
      act: 'Go on',
    })
    return values && new Map(needed.map(({ reference }) => [reference, values[reference] ?? '']))
  }

  const send = async (plan: ImportPlan, store: DocumentStore): Promise<void> => {
    const [{ sendPlan }, { grantSentence, sendGrants }] = await Promise.all([
      import('../../domain/documents/send.ts'),
      import('../../domain/servers/files/grants.ts'),
    ])
    const writes = plan.steps.filter(step => step.kind !== 'leave')
    const { granted } = plan
    const count = Math.max(writes.length, granted.length)
    if (count === 0) return toasts.show('ok', 'The project has all of it already; nothing was sent.')
    const grants = granted.map(({ entry, resolved }) => `${entry.name}: ${grantSentence(resolved)}`)
    if (!(await review(reviewOf(writes, grants, count)))) return
    for (const text of addressQuestions(plan)) {
      const question = { title: 'A value of yours in an address', lines: [`${text}.`], action: 'Send it' }
      if (!(await confirm(question))) return
    }
    const outcomes = await write<typeof contract.servers.create, readonly Outcome[]>({
      endpoint: [contract.servers.create, contract.servers.update],
      confirm: 'done',
      start: `Importing ${plural(count, 'server')}…`,
      rereads: isPlainRead,
      async work({ progress }) {
        let done = 0
        const planned = await sendPlan(client, store, projectId, plan, () => progress((done += 1), writes.length))
        const others = await sendGrants(granted, { client, store, projectId })
        // A server whose grant is stored as well counts once.
        return [...planned, ...others.filter(each => isUndone(each) || !planned.some(({ name }) => name === each.name))]
      },
      done: ended => summaryOf(ended),
    })
    if (!outcomes) return
    for (const step of writes) if (step.kind === 'change') forgetAnswers(step.base.id)
    if (outcomes.length > 1 || outcomes.some(isUndone))
      showText('Imported servers', outcomes.flatMap(outcomeLines(symbols)))
  }

  return async find => {
    if (!serverFiles) throw new UnavailableAction(NO_FILES)
    const found = await opening({
      start: 'Reading the files of other programs…',
      async work() {
        const [{ candidatesOf, gathered }, { readServers }, { documentStore }] = await Promise.all([
          import('../../domain/servers/files/importing.ts'),
          import('../../domain/servers/files/reading.ts'),
          import('../../domain/documents/store.ts'),
        ])
        const { texts, problems } = find()
        const read = gathered(texts.map(readServers))
        const store = documentStore(client, projectId)
        const candidates = await candidatesOf(read.entries, store, serverFiles.context)
        return { candidates, problems: [...problems, ...read.problems], store }
      },
    })
    if (!found) return
    if (found.candidates.length + found.problems.length === 0) return toasts.show('warn', NOTHING_FOUND)
    const picked = await pick(found)
    const answers = await answersTo(picked.flatMap(({ resolved }) => resolved.missing))
    if (picked.length === 0 || !answers) return
    const plan = await opening({
      start: 'Comparing with the project…',
      work: () => planOf(picked, found.store, serverFiles.context, answers),
    })
    if (!plan) return
    if ('problems' in plan)
      showText(
        'Nothing was sent',
        plan.problems.map(problem => ({ text: lineOf(problem), tone: 'error' as const })),
      )
    else await send(plan, found.store)
  }
}

async function planOf(
  picked: readonly Chosen[],
  store: DocumentStore,
  ...[context, answers]: [VariableContext, ReadonlyMap<string, string>]
) {
  const [{ planImport }, { resolved }] = await Promise.all([
    import('../../domain/servers/files/importing.ts'),
    import('../../domain/servers/files/variables.ts'),
  ])
  const chosen = picked.map(({ entry }) => ({ entry, resolved: resolved(entry, context, answers) }))
  return await planImport(chosen, store)
}

function fieldOf({ reference, name, about, isSecret, initial = '', options }: Missing): FormFieldSpec {
  const note = `${about === undefined ? '' : `${about}. `}It replaces ${reference}.`
  const choices = options?.map(value => ({ value, label: value }))
  if (choices) return choiceField(reference, name, choices, { required: true, note, initial })
  return { id: reference, label: name, required: true, note, initial, ...(isSecret && { input: { kind: 'secret' } }) }
}

type Write = Exclude<Step, { kind: 'leave' }>

function reviewOf(writes: readonly Write[], grants: readonly string[], count: number): ReviewQuestion {
  return {
    title: `Import ${plural(count, 'server')}?`,
    lines: [
      ...writes.flatMap(linesOfStep),
      ...grants,
      { text: 'Their secrets are stored by the service; the files stay as they are.', tone: 'muted' },
    ],
    action: count === 1 ? 'Import it' : 'Import them',
  }
}

/** Describes the change, how the server will be reached and what it gets from this machine. */
function linesOfStep(step: Write): Line[] {
  if (!('doc' in step) || step.doc.noun === 'suite') return []
  const { form, secrets, taken } = step.doc
  const sent = takenSentences(taken).map(text => ({ text: `  ${text}`, tone: 'warn' as const }))
  return [lineOfStep(step), ...reachSentences(form, secrets).map(text => `  ${text}`), ...sent]
}

function lineOfStep(step: Write): string {
  if (!('doc' in step)) return ''
  if (!('change' in step)) return `${step.doc.name}: new`
  const { changes, resent } = step.change
  const differs = changes.length > 0 ? [`differs in ${changes.map(({ path }) => path).join(', ')}`] : []
  const sent = resent.length > 0 ? [`${resent.join(', ')} replaced`] : []
  return `${step.doc.name}: ${[...differs, ...sent].join('; ')}`
}

const WORDS: Readonly<Record<Outcome['kind'], { word: string; symbol: 'ok' | 'warn' | 'error'; tone: Tone }>> = {
  created: { word: 'saved', symbol: 'ok', tone: 'ok' },
  changed: { word: 'changed', symbol: 'ok', tone: 'ok' },
  already: { word: 'is as in the file already', symbol: 'ok', tone: 'ok' },
  deleted: { word: 'removed', symbol: 'warn', tone: 'warn' },
  conflict: { word: 'not sent', symbol: 'warn', tone: 'warn' },
  skipped: { word: 'not sent', symbol: 'warn', tone: 'warn' },
  failed: { word: 'failed', symbol: 'error', tone: 'error' },
}

function isUndone({ kind }: Outcome): boolean {
  return WORDS[kind].tone !== 'ok'
}

function summaryOf(outcomes: readonly Outcome[]) {
  const undone = outcomes.filter(isUndone).length
  if (undone > 0)
    return { tone: 'warn' as const, text: `${undone} of ${plural(outcomes.length, 'server')} not imported.` }
  const [only] = outcomes
  return outcomes.length === 1 && only ? `Imported ${only.name}.` : `Imported ${plural(outcomes.length, 'server')}.`
}

function outcomeLines(symbols: Symbols): (outcome: Outcome) => Line[] {
  return ({ name, kind, lines, error }) => {
    const { word, symbol, tone } = WORDS[kind]
    const reasons = [...(error ? [failureSentence(error)] : []), ...lines]
    return [
      {
        parts: [
          { text: `${symbols[symbol]} ${word}  `, tone },
          { text: name, tone: 'plain' },
        ],
      },
      ...reasons.map(text => ({ text, tone: 'muted' as const, indent: 4 })),
    ]
  }
}
