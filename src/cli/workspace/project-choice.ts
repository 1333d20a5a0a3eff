import type { Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import { clean } from '../../tui/theme/text.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { readAnswer, canPrompt } from '../output/confirm-prompt.ts'
import { UsageError } from '../arguments/usage-error.ts'

type NamedProject = { id: string; name: string }

/**
 * Chooses the project of a command: the one named by id or name. Without a name, the only project is chosen, or a
 * person chooses at the terminal.
 * @throws UsageError with the choices if nobody can be asked
 */
export async function chooseProject(client: Client, wanted: string | undefined): Promise<NamedProject> {
  const projects: NamedProject[] = []
  for await (const page of client.pages(contract.projects.list, {})) for (const item of page.items) projects.push(item)
  if (wanted !== undefined) return projectNamed(projects, wanted)
  const [only, ...others] = projects
  if (!only) throw new UsageError('This key has access to no project.')
  if (others.length === 0) return only
  const choices = projects.map(({ id, name }) => `${clean(name)} (${id})`)
  if (!canPrompt()) throw new UsageError(`There are several projects; pass --project: ${choices.join(', ')}.`)
  process.stderr.write(choices.map((choice, index) => `${index + 1}  ${choice}\n`).join(''))
  const answer = await readAnswer('Which project? ')
  const chosen = projects[Number(answer) - 1]
  if (!chosen) throw new UsageError(`"${clean(answer)}" is not a number from 1 to ${projects.length}.`)
  return chosen
}

/**
 * Returns the project with this id or, if there is none, the only one with this name.
 * @throws UsageError if no project or several projects have that name
 */
export function projectNamed(projects: readonly NamedProject[], wanted: string): NamedProject {
  const byId = projects.find(({ id }) => id === wanted)
  const [only, ...others] = byId ? [byId] : projects.filter(({ name }) => name === wanted)
  if (only && others.length === 0) return only
  if (only) {
    const ids = [only, ...others].map(({ id }) => id).join(', ')
    throw new UsageError(
      `There are ${others.length + 1} called "${clean(wanted)}"; name the project by its id: ${clean(ids)}.`,
    )
  }
  const names = projects.map(({ name }) => clean(name))
  throw new UsageError(
    `There is no project "${wanted}".${didYouMean(wanted, names)} The key sees ${names.join(', ') || 'none'}.`,
  )
}
