import { type Query, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { isMissing } from '../../api/client/errors/api-error.ts'
import { useToasts } from '../../components/toasts.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { projectsRoute } from '../../screens/projects/route.ts'
import { useRouter } from '../../tui/router/router-context.tsx'
import { clean } from '../../tui/theme/text.ts'

/**
 * Leaves a place whose project does not exist, such as one from a removed workspace, for the project with that name,
 * else for the only project or the list of them; shows nothing itself. `named` is the project that the person asked
 * for, by id or name; `onNamed` is called with its id.
 */
export function LeaveGoneProject(props: {
  named?: string | undefined
  onNamed: (projectId: string, asked: string) => void
}) {
  const { named: asked, onNamed } = props
  const queryClient = useQueryClient()
  const { queries } = useWorkspace()
  const router = useRouter()
  const toasts = useToasts()
  useEffect(() => {
    // Projects that exist: a missing record of a project says nothing about the project itself.
    const there = new Set<string>()
    const checked = new Set<string>()
    const here = (): string | undefined => router.current().params.projectId
    const leave = (gone: string, projects: readonly { id: string; name: string }[]): void => {
      const [only, ...others] = projects
      const isOnly = only !== undefined && others.length === 0
      const { screen, params } = router.current()
      const named = projects.find(({ name }) => name === gone)
      const other = isOnly ? { screen, params: { projectId: only.id } } : projectsRoute.to()
      const instead = named ? { screen, params: { ...params, projectId: named.id } } : other
      router.abandon(place => place.params.projectId === gone, instead)
      if (named) return
      const where = isOnly ? `This is ${clean(only.name)}` : 'Choose another'
      const why =
        gone === asked
          ? `There is no project "${clean(gone)}", or this key cannot see it.`
          : 'The project of this place no longer exists, or this key cannot see it.'
      toasts.show('warn', `${why} ${where}.`)
    }
    const look = async (projectId: string): Promise<void> => {
      if (there.has(projectId) || checked.has(projectId)) return
      checked.add(projectId)
      try {
        const { items, nextCursor } = await queryClient.fetchQuery(queries.projects.list.options({}))
        const named = projectId === asked ? items.find(({ id, name }) => id === asked || name === asked) : undefined
        if (named && asked !== undefined) onNamed(named.id, asked)
        if (items.some(({ id }) => id === projectId) || (nextCursor && !named)) there.add(projectId)
        else if (here() === projectId || projectId === asked) leave(projectId, items)
      } catch {
        // The failure is shown by the pane that reads these projects, and the next missing answer checks again.
      } finally {
        checked.delete(projectId)
      }
    }
    // The list of projects can be read without the named project, so only this check shows that it is missing.
    if (asked !== undefined) void look(asked)
    return queryClient.getQueryCache().subscribe(event => {
      if (event.type !== 'updated' || event.action.type !== 'error' || !isMissing(event.action.error)) return
      const projectId = projectOf(event.query)
      if (projectId !== undefined && projectId === here()) void look(projectId)
    })
  }, [queryClient, queries, router, toasts, asked, onNamed])
  return null
}

function projectOf({ queryKey }: Query): string | undefined {
  const [, , input] = queryKey
  return typeof input === 'object' && input !== null && 'projectId' in input ? String(input.projectId) : undefined
}
