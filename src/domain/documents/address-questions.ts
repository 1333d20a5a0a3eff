import { isInAddress, reachSentences } from './taken.ts'
import type { Plan } from './plan.ts'

/**
 * Returns what must be confirmed separately before a plan is sent: each server whose address contains a value of this
 * machine, because the host of the address can read the value. Sentences have no full stop.
 */
export function addressQuestions({ steps }: Pick<Plan, 'steps'>): string[] {
  return steps.flatMap(step => {
    if (step.kind === 'delete' || step.kind === 'leave' || step.doc.noun === 'suite') return []
    const { name, form, secrets, taken } = step.doc
    const names = [...new Set(taken.filter(isInAddress).map(each => each.name))]
    if (names.length === 0) return []
    const [address = ''] = reachSentences({ url: form['url'] }, secrets)
    return [
      `The address of ${name} gets the value of ${names.join(', ')}, and anyone who answers there reads it. ${address}`,
    ]
  })
}
