import { isPlainObject } from '../../lib/json.ts'

type Path = readonly PropertyKey[]

/** `{{name}}` in a text of a case. */
export type Placeholder = { name: string; path: Path }

/** Matches `{{name}}` in a text. */
export const PLACEHOLDER = /\{\{([^{}]*)\}\}/g

/** Returns the placeholders in the texts of a value, and in the names of its blocks. */
export function placeholdersIn(value: unknown, path: Path = []): (Placeholder & { isInName: boolean })[] {
  const inText = (text: string, isInName: boolean, at: Path) =>
    [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => ({ name: name.trim(), path: at, isInName }))
  if (typeof value === 'string') return inText(value, false, path)
  if (Array.isArray(value)) return value.flatMap((each, index) => placeholdersIn(each, [...path, index]))
  if (!isPlainObject(value)) return []
  return Object.entries(value).flatMap(([name, each]) => {
    const at = [...path, name]
    return [...inText(name, true, at), ...placeholdersIn(each, at)]
  })
}

/** Whether a placeholder such as `{{create.id}}` means the result of a step of its case. */
export function namesStep(name: string, steps: unknown): boolean {
  const [step = '', ...rest] = name.split(/[.[]/)
  return rest.length > 0 && Array.isArray(steps) && steps.some(each => isPlainObject(each) && each['id'] === step)
}

/** Says what to do in place of a placeholder for the result of a step, which no service fills in. */
export function noStepResult(name: string): string {
  return (
    `A step cannot use the result of another one: "{{${name}}}" would be sent as it is. Ask for both calls in one ` +
    'prompt step, so that the model passes the result on, or write a value that the tool always knows.'
  )
}
