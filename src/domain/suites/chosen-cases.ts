import type { EvalCase } from '../../api/contract/suites.ts'
import { plural } from '../../lib/format.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { caseEdit, formOfCase } from './case-form.ts'
import type { WrittenSuite } from './suite-file.ts'
import { pairUp } from './sync-plan.ts'

/** Which cases of a suite file to run: those with one of the tags, or all, but none with a tag to skip. */
export type TagChoice = { tags: readonly string[]; skip: readonly string[] }

/** Maximum number of titles that a sentence lists. */
const MOST_TITLES = 5

/**
 * Returns the stored cases that a suite file and tags choose, with sentences that say so; or why nothing can be run.
 * @param name the file, for sentences
 */
export function chosenCases(
  { file, tags }: WrittenSuite,
  name: string,
  choice: TagChoice,
  stored: readonly EvalCase[],
): { cases: readonly EvalCase[]; lines: readonly string[] } | { why: string } {
  const known = [...new Set(tags.flat())]
  const unknown = choice.tags.find(tag => !known.includes(tag))
  if (unknown !== undefined) {
    const are = known.length === 0 ? 'It has no tags.' : `Its tags: ${known.join(', ')}.`
    return { why: `No case of ${name} has the tag "${unknown}".${didYouMean(unknown, known)} ${are}` }
  }
  const has = (index: number, any: readonly string[]): boolean => any.some(tag => tags[index]?.includes(tag))
  const forms = file.cases.filter(
    (_, index) => (choice.tags.length === 0 || has(index, choice.tags)) && !has(index, choice.skip),
  )
  const options = [...choice.tags.map(tag => `--tag ${tag}`), ...choice.skip.map(tag => `--skip ${tag}`)].join(' ')
  if (forms.length === 0) return { why: `${options} leaves no case of ${name}, so there is nothing to run.` }
  const pairs = pairUp(file.cases, stored)
  const missing = forms.filter(form => !pairs.get(form)).map(({ title }) => title)
  if (missing.length > 0) {
    const advice = `Send the file first: mcpdeck suite import ${name}`
    return { why: `The suite lacks ${plural(missing.length, 'case')} of ${name}: ${listed(missing)}. ${advice}` }
  }
  const cases = forms.flatMap(form => pairs.get(form) ?? [])
  const other = forms.flatMap(form => {
    const match = pairs.get(form)
    return match && caseEdit(formOfCase(match), form).changes.length > 0 ? [form.title] : []
  })
  const useless = choice.skip.filter(tag => !known.includes(tag))
  return {
    cases,
    lines: [
      `Of ${name}: ${forms.length} of ${plural(file.cases.length, 'case')}${options === '' ? '' : `, by ${options}`}.`,
      ...useless.map(tag => `No case of it has the tag "${tag}", so --skip ${tag} leaves none out.`),
      ...(other.length > 0
        ? [`Warning: the service has ${plural(other.length, 'case')} other than in the file: ${listed(other)}.`]
        : []),
    ],
  }
}

function listed(titles: readonly string[]): string {
  const more = titles.length - MOST_TITLES
  const named = titles.slice(0, MOST_TITLES).map(title => `"${title}"`)
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
