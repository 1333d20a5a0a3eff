import { useCurrentSubject } from '../../components/subject.tsx'
import { useTextOverlay } from '../../components/text-overlay.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { unavailable, type KeyHandler, type Unavailable } from '../keymap/binding.ts'
import { screens } from '../registry.ts'
import { formatLocator } from '../router/place.ts'
import { useRouter } from '../router/router-context.tsx'

/** Puts a text on the clipboard; answers why it could not, or nothing. */
export type Copy = (text: string) => string | undefined

type SubjectAction = 'copyId' | 'copyLink' | 'raw'

const routes = screens.map(screen => screen.route)
const NONE = unavailable('Nothing is chosen.')

/** What can be done with the chosen thing on every screen. */
export function useSubjectActions(copy: Copy): Record<SubjectAction, KeyHandler | Unavailable> {
  const current = useCurrentSubject()
  const toasts = useToasts()
  const router = useRouter()
  const showText = useTextOverlay()
  const { profile } = useWorkspace()
  const tell = (what: string, text: string): void => {
    const reason = copy(text)
    if (reason === undefined) toasts.show('ok', `Copied ${what}: ${text}`)
    else toasts.show('warn', reason)
  }
  const copyLink = (): void => tell('the link', formatLocator(routes, profile.name, router.current()))
  if (!current()) return { copyId: NONE, copyLink, raw: NONE }
  return {
    copyId() {
      const subject = current()
      if (subject) tell(`the id of the ${subject.kind}`, subject.id)
    },
    copyLink,
    raw() {
      const subject = current()
      if (!subject) return
      const lines = JSON.stringify(subject.record, null, 2).split('\n')
      showText(`${subject.kind} ${subject.id}`, lines.map(toLine))
    },
  }
}

/** Wrapping is done inside the indentation. */
function toLine(line: string): { text: string; indent: number } {
  const text = line.trimStart()
  return { text, indent: line.length - text.length }
}
