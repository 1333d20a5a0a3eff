import { useRef } from 'react'
import type { Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import { useConfirm } from '../../components/confirm.tsx'
import type { UnsavedServers } from '../../domain/servers/unsaved.ts'
import type { Question } from '../../domain/writes/question.ts'
import { useCurrentTasks } from '../../hooks/tasks.tsx'
import { useWorkspace, type Workspace } from '../../hooks/workspace.tsx'
import { every } from '../../lib/clock.ts'
import { clean } from '../../tui/theme/text.ts'

/** Milliseconds between checks whether a question about work in progress still applies. */
const LOOK_MS = 500
/** Maximum number of records that the question names; the others are counted. */
const MOST_NAMED = 8

/** Returns what ends with the program, a line each with the consequence; empty if quitting loses nothing. */
export function useUnderWay(): () => readonly string[] {
  const { profile, executing, unsaved } = useWorkspace()
  const tasks = useCurrentTasks()
  return () => {
    const writes = tasks.filter(task => task.writes).map(({ text }) => clean(text))
    const next = unsaved ? '' : ' The next start says what became of it.'
    const fate = profile.local
      ? 'This workspace closes with the program and cuts off what does not end within seconds.'
      : 'The service may go on with what has left; nothing else leaves.'
    return [...writes, ...(writes.length > 0 ? [fate + next] : []), ...executingLines(executing)]
  }
}

/** Returns the work that this process executes itself, counted by kind. */
function executingLines(executing: Workspace['executing']): string[] {
  try {
    const kinds = (executing?.() ?? []).map(({ kind }) => kind.replaceAll('-', ' '))
    const counts = [...new Set(kinds)].map(kind => `${kinds.filter(each => each === kind).length} × ${kind}`)
    return counts.length > 0 ? [`Executing in this program, and ends unfinished with it: ${counts.join(', ')}.`] : []
  } catch {
    return ['What executes in this program could not be read; it ends unfinished with it.']
  }
}

/**
 * Quits at once, unless work is in progress or a temporary workspace contains what a person created: that is named
 * first. If some of it ends meanwhile, the question is updated or removed.
 */
export function useQuit(quit: () => void): () => Promise<void> {
  const { client, unsaved } = useWorkspace()
  const underWay = useRef<() => readonly string[]>(() => [])
  underWay.current = useUnderWay()
  const confirm = useConfirm()
  return async () => {
    const lost = unsaved ? await madeIn(client, unsaved) : []
    for (let isFirst = true; ; isFirst = false) {
      const ending = underWay.current()
      if (ending.length === 0 && lost.length === 0) return isFirst ? quit() : undefined
      const moved = new AbortController()
      const isMoved = (): boolean => underWay.current().join() !== ending.join()
      const endLook = every(LOOK_MS, () => (isMoved() ? moved.abort() : undefined))
      const isAgreed = await confirm(quitQuestion(ending, lost), moved.signal).finally(endLook)
      if (isAgreed) quit()
      if (!moved.signal.aborted) return
    }
  }
}

function quitQuestion(ending: readonly string[], lost: readonly string[]): Question {
  const more = lost.length - MOST_NAMED
  return {
    title: lost.length > 0 ? 'Quit and lose what was made here?' : 'Quit while this is under way?',
    lines: [
      ...ending,
      ...lost.slice(0, MOST_NAMED),
      ...(more > 0 ? [`And ${more} more.`] : []),
      ...(lost.length > 0 ? ['It is not saved and will be lost.'] : []),
    ],
    action: 'Quit',
    decline: 'Stay',
  }
}

/**
 * Returns a line for each unsaved record besides the server that is tried; if they cannot be read, one line that says
 * so.
 */
async function madeIn(client: Client, { savedSuites }: UnsavedServers): Promise<string[]> {
  try {
    const [{ documentStore }, { DOCUMENT_NOUNS }, { readSuite }] = await Promise.all([
      import('../../domain/documents/store.ts'),
      import('../../domain/documents/nouns.ts'),
      import('../../domain/suites/suite-store.ts'),
    ])
    const projects = await client.items(contract.projects.list, {})
    const lists = projects.flatMap(({ id: projectId }) => {
      const store = documentStore(client, projectId)
      return DOCUMENT_NOUNS.map(async noun => {
        const rows = (await store.list(noun)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
        // Ids increase: the first server is the one that is tried.
        const made = noun === 'server' ? rows.slice(1) : rows
        const isSaved = await Promise.all(
          made.map(async ({ id }) => {
            const saved = savedSuites.get(id)
            return saved !== undefined && saved === JSON.stringify(await readSuite(client, projectId, id))
          }),
        )
        return made.filter((_, index) => !isSaved[index]).map(({ id, name }) => `The ${noun} ${clean(name ?? id)}.`)
      })
    })
    return (await Promise.all(lists)).flat()
  } catch {
    return ['What was made could not be read.']
  }
}
