import { isLineFault } from '../../api/client/errors/api-error.ts'
import type { DismissalOutcome, DismissalPlan, UndoPlan } from '../../domain/findings/dismissal.ts'
import { describeError } from '../../api/client/errors/error-text.ts'
import { findingName } from '../../domain/findings/finding.ts'
import { plural } from '../../lib/format.ts'
import type { TaskResult } from '../../hooks/tasks.tsx'
import type { Question } from '../../domain/writes/question.ts'

/** Maximum number of names in a sentence. */
const MOST_NAMES = 3

/** Returns the question before dismissing: how many, what it does, and what it does not. */
export function dismissalQuestion(of: {
  plan: DismissalPlan
  dismissed: boolean
  /** Marked findings that filters hide. */
  hidden: number
  /** Whether requests are unlimited. */
  unlimited: boolean
}): Question {
  const { plan, dismissed, hidden, unlimited } = of
  const [only] = plan.send
  const what = plan.send.length === 1 && only ? findingName(only) : plural(plan.send.length, 'finding')
  const active = plan.send.filter(({ status }) => status !== 'resolved').length
  const lines = [
    dismissed
      ? 'Dismissed is not resolved: the status stays, and what keeps recurring shows as recurring and dismissed.'
      : 'The status stays; only the dismissal is removed.',
    dismissed && active > 0 && activeWords(plan),
    plan.already.length > 0 &&
      `${plan.already.length} of the marked ${plan.already.length === 1 ? 'is' : 'are'} ` +
        `${dismissed ? 'dismissed' : 'shown'} already and skipped.`,
    plan.nameless.length > 0 && `${plan.nameless.length} have no id and are left out.`,
    hidden > 0 && `${hidden} of the marked ${hidden === 1 ? 'is' : 'are'} hidden by a filter now.`,
    !unlimited && plan.send.length > 1 && `It takes ${plan.send.length} requests of the budget, one after the other.`,
    'Everyone in the project sees this; it can be undone.',
  ].filter(line => typeof line === 'string')
  return {
    title: dismissed ? `Dismiss ${what}?` : `Show ${what} again?`,
    lines,
    action: dismissed
      ? `Dismiss ${plural(plan.send.length, 'finding')}`
      : `Show ${plural(plan.send.length, 'finding')} again`,
  }
}

/** Says that dismissed findings stay active. */
function activeWords({ send }: DismissalPlan): string {
  const active = send.filter(({ status }) => status !== 'resolved')
  if (send.length === 1)
    return `It is ${active[0]?.status ?? 'of unknown status'}, so the service keeps looking for it.`
  if (active.length === send.length) return 'None of them is resolved.'
  return `${active.length} of the ${send.length} ${active.length === 1 ? 'is' : 'are'} not resolved.`
}

/** Returns `Dismissed 38 of 40 findings; 1 was refused (Not found); 1 was dismissed by someone else. …` */
export function dismissalSentence(
  { outcome, already, total }: { outcome: DismissalOutcome; already: number; total: number },
  dismissed: boolean,
  undoKey: string,
): TaskResult {
  const { done, refused, doubtful, unsent } = outcome
  const left = refused.length + doubtful.length + unsent.length
  const verb = dismissed ? 'Dismissed' : 'Showing'
  const count = done.length === total ? plural(total, 'finding') : `${done.length} of ${plural(total, 'finding')}`
  const parts = [
    `${verb} ${count}${dismissed ? '' : ' again'}`,
    already > 0 && `${already} someone else had ${dismissed ? 'dismissed' : 'shown'} meanwhile`,
    ...refusedWords(outcome),
    unsent.length > 0 && `${unsent.length} not sent`,
  ].filter(Boolean)
  const rest = total > 1 && left > 0 ? ' What is left keeps its mark.' : ''
  return {
    tone: done.length + doubtful.length === 0 && refused.length > 0 ? 'error' : left > 0 ? 'warn' : 'ok',
    text: `${parts.join('; ')}.${rest}`,
    ...(done.length > 0 && { next: `${undoKey} undoes it.` }),
  }
}

/** Returns what the service refused, what is unknown, and what was not answered. */
function refusedWords({ refused, doubtful }: DismissalOutcome): string[] {
  const words = (what: string, meant: DismissalOutcome['refused']): string[] => {
    const titles = new Set(meant.map(({ error }) => describeError(error).title))
    return meant.length > 0 ? [`${meant.length} ${what} (${[...titles].join(', ')})`] : []
  }
  return [
    ...words(
      'refused',
      refused.filter(({ error }) => !isLineFault(error)),
    ),
    ...words('may have happened', doubtful),
    ...words(
      'not answered',
      refused.filter(({ error }) => isLineFault(error)),
    ),
  ]
}

/** Returns what was undone, and what was not because someone else has changed it. */
export function undoSentence(
  { plan, outcome }: { plan: UndoPlan; outcome: DismissalOutcome },
  dismissed: boolean,
): TaskResult {
  const { done, refused, doubtful, unsent } = outcome
  const done0 = `${plural(done.length, 'finding')} ${dismissed ? 'shown again' : 'dismissed again'}`
  const parts = [
    done.length > 0 ? done0 : 'Nothing was undone',
    plan.skipped.length > 0 && `left alone: ${someOf(plan.skipped.map(({ name, why }) => `${name}, ${why}`))}`,
    plan.moved.length > 0 &&
      'their status changed meanwhile and stays: ' +
        someOf(plan.moved.map(({ name, from, to }) => `${name} ${from} to ${to}`)),
    ...refusedWords(outcome),
    unsent.length > 0 && `${unsent.length} not sent`,
  ].filter(Boolean)
  const isClean = plan.skipped.length + refused.length + doubtful.length + unsent.length === 0
  return { tone: isClean ? 'ok' : 'warn', text: `${parts.join('; ')}.` }
}

function someOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMES
  return names.slice(0, MOST_NAMES).join('; ') + (more > 0 ? ` and ${more} more` : '')
}
