import { isMissing } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import type { AnyEndpoint } from '../../api/contract/endpoint.ts'
import type { EvalCaseGenerated, EvalCase, EvalSuite } from '../../api/contract/suites.ts'
import { plural } from '../../lib/format.ts'
import { clean } from '../../tui/theme/text.ts'
import type { Line } from '../../components/viewer.tsx'
import type { Authoring } from './use-authoring.ts'
import { NEW_CASES, write } from './new-cases.ts'

/** Kinds of cases that a model writes (schemas: EvalCaseGenerateRequest). */
const BUCKETS = ['simple', 'multiTool', 'multiTurn', 'complex', 'negative'] as const
const BUCKET_NOTES: Record<(typeof BUCKETS)[number], string> = {
  simple: 'One request that one call fulfils.',
  multiTool: 'One request that needs several tools.',
  multiTurn: 'A conversation in which later requests build on earlier ones.',
  complex: 'A demanding request whose calls depend on each other.',
  negative: 'A request for which no tool may be called.',
}
const MOST_IN_BUCKET = 10

/** Returns the actions on existing cases. */
export function caseActions(authoring: Authoring) {
  return {
    edit: (suite: EvalSuite, stored: EvalCase) => editCase(authoring, suite, stored),
    duplicate: (suite: EvalSuite, stored: EvalCase) => duplicate(authoring, suite, stored),
    remove: (suite: EvalSuite, cases: readonly EvalCase[]) => remove(authoring, suite, cases),
    generate: (suite: EvalSuite) => generate(authoring, suite),
  }
}

/** Opens a case in the editor; only the differences are sent. */
async function editCase(authoring: Authoring, suite: EvalSuite, stored: EvalCase): Promise<void> {
  const { client, projectId, edit, review, tell } = authoring
  const target = { projectId, suiteId: suite.id, caseId: stored.id }
  const { caseEdit, formOfCase, readCase, writeCases } = await import('../../domain/suites/case-form.ts')
  const from = formOfCase(stored)
  const edited = await edit({
    key: authoring.keyOf(suite.id, 'case', stored.id),
    fileName: `case-${stored.declaredId ?? stored.id}.yaml`,
    what: `the case ${stored.title}`,
    text: writeCases([from], ['A case; it is checked when you save and leave. Its id cannot be changed.']),
    read: readCase,
    doubts: authoring.doubts,
  })
  if (!edited) return
  const { edit: body, changes } = caseEdit(from, edited.value)
  if (changes.length === 0) {
    edited.discard()
    if (edited.value.id === from.id) tell('ok', 'Nothing was changed.')
    else tell('warn', 'The id of a case cannot be changed; duplicate the case to give it another one.')
    return
  }
  const now = await authoring.read(`Reading ${stored.title} again…`, call => client.cases.get(target, call))
  if (!now) return edited.keep()
  const theirs = caseEdit(from, formOfCase(now)).changes
  const lines: Line[] = [
    { text: 'Only this is sent:', tone: 'muted' },
    ...authoring.changeLines(changes),
    ...(theirs.length > 0
      ? [
          { text: 'Someone else changed it meanwhile; your changes replace theirs:', tone: 'warn' as const },
          ...authoring.changeLines(theirs),
        ]
      : []),
  ]
  const agreed = await review({ title: `Change "${stored.title}"?`, lines, action: 'Send the change' })
  if (!agreed) return edited.keep()
  const sent = await authoring.sendEdited(edited, {
    endpoint: contract.cases.update,
    input: { ...target, body },
    start: `Changing ${stored.title}…`,
    done: ({ title }) => `Changed ${title}.`,
  })
  if (sent === 'correct') await editCase(authoring, suite, stored)
}

/** Opens a copy in the editor, which becomes a case when it is saved. */
async function duplicate(authoring: Authoring, suite: EvalSuite, stored: EvalCase): Promise<void> {
  const [{ formOfCase }, { copyOf }] = await Promise.all([
    import('../../domain/suites/case-form.ts'),
    import('../../domain/suites/templates.ts'),
  ])
  await write(authoring, suite, {
    key: `copy of ${stored.id}`,
    forms: [copyOf(formOfCase(stored))],
    about: ['A copy: change what it does, or the service takes it for a duplicate.', ...NEW_CASES],
  })
}

/** Deletes cases one after the other, after asking once. */
async function remove(authoring: Authoring, suite: EvalSuite, cases: readonly EvalCase[]): Promise<void> {
  const [first] = cases
  if (!first) return
  const what = cases.length === 1 ? `"${first.title}"` : plural(cases.length, 'case')
  await authoring.write<AnyEndpoint, number>({
    endpoint: contract.cases.delete,
    confirm: {
      title: `Delete ${cases.length === 1 ? 'case ' : ''}${what}?`,
      lines: [
        ...cases.slice(0, 5).map(({ title }) => title),
        ...(cases.length > 5 ? [`and ${cases.length - 5} more`] : []),
        { text: 'Runs that used them keep their records.', tone: 'warn' },
      ],
      action: `Delete ${what}`,
      word: 'delete',
    },
    start: `Deleting ${what}…`,
    work: async ({ send, plan, progress }) => {
      const { projectId } = authoring
      const inputs = cases.map(({ id }) => ({ projectId, suiteId: suite.id, caseId: id }))
      await plan(inputs.map(input => ({ endpoint: contract.cases.delete, input })))
      let gone = 0
      for (const [index, input] of inputs.entries()) {
        try {
          await send(contract.cases.delete, input)
        } catch (error) {
          gone += 1
          // If none of the cases is found, the key may have lost access to all of them.
          if (!isMissing(error) || gone === inputs.length) throw error
        }
        progress(index + 1, cases.length)
      }
      return gone
    },
    done: gone => (gone === 0 ? `${what} deleted.` : `${what} deleted, ${gone} of them by someone else.`),
  })
}

/** Lets a model write cases. */
async function generate(authoring: Authoring, suite: EvalSuite): Promise<void> {
  const { projectId, ask } = authoring
  const answers = await ask({
    title: 'Cases written by a model',
    about: [
      {
        text:
          'This uses one of the day’s generations and asks a model once; the suite’s servers are connected to ' +
          'read their tools.',
        tone: 'warn',
      },
    ],
    fields: BUCKETS.map(name => ({
      id: name,
      label: name,
      kind: `0 to ${MOST_IN_BUCKET}; empty: the usual number`,
      note: BUCKET_NOTES[name],
      input: { kind: 'number', least: 0, most: MOST_IN_BUCKET, whole: true },
    })),
    effect: () => [{ text: 'The cases are stored at once; each can be edited or deleted afterwards.', tone: 'plain' }],
    act: 'Generate cases',
  })
  if (!answers) return
  const caseMix = Object.fromEntries(
    BUCKETS.filter(name => answers[name]?.trim()).map(name => [name, Number(answers[name])]),
  )
  const body = Object.keys(caseMix).length > 0 ? { caseMix } : {}
  await authoring.write({
    endpoint: contract.cases.generate,
    confirm: 'done',
    start: 'A model writes cases…',
    stopped: 'Stopped waiting for the model. What it had written by then may be among the cases.',
    work: ({ send, signal }) => send(contract.cases.generate, { projectId, suiteId: suite.id, body }, { signal }),
    done: generatedReport,
  })
}

/**
 * Returns the outcome of drafts: a tick only if every draft became a case; every other draft is listed with its reason.
 */
function generatedReport({ created, skipped }: Pick<EvalCaseGenerated, 'created' | 'skipped'>) {
  const written = `${plural(created.length, 'case')} written`
  const reasons = (skipped ?? []).map(({ title, message, code }) => {
    const reason = textOf(message) ?? textOf(code) ?? 'no reason given'
    return clean(textOf(title) ? `${textOf(title)}: ${reason}` : reason)
  })
  if (reasons.length > 0)
    return {
      tone: 'warn' as const,
      text: `${written}, ${plural(reasons.length, 'draft')} not stored: ${reasons.join('; ')}`,
    }
  return created.length > 0
    ? { tone: 'ok' as const, text: `${written}.` }
    : { tone: 'warn' as const, text: `${written}: the model drafted none.` }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}
