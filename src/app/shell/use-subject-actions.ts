import { useCopy } from '../../components/copy.tsx'
import { useJsonOverlay } from '../../components/json/json-viewer.tsx'
import { useCurrentSubject } from '../../components/subject.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { screens } from '../registry.ts'
import { formatLocator } from '../../tui/router/place.ts'
import { useRouter } from '../../tui/router/router-context.tsx'

type SubjectAction = 'copyId' | 'copyLink' | 'raw'

const routes = screens.map(screen => screen.route)
const NONE = unavailable('Nothing is chosen.')

/** What can be done with the chosen thing on every screen. */
export function useSubjectActions(): Record<SubjectAction, KeyHandler | Unavailable> {
  const current = useCurrentSubject()
  const copy = useCopy()
  const router = useRouter()
  const showJson = useJsonOverlay()
  const { profile } = useWorkspace()
  const tell = (what: string, text: string): void => copy(text, `Copied ${what}: ${text}`)
  const copyLink = (): void =>
    tell('the link', formatLocator(routes, profile.name, current()?.place ?? router.here()))
  if (!current()) return { copyId: NONE, copyLink, raw: NONE }
  return {
    copyId() {
      const subject = current()
      if (subject) tell(`the id of the ${subject.kind}`, subject.id)
    },
    copyLink,
    raw() {
      const subject = current()
      if (subject) showJson(`${subject.kind} ${subject.id}`, subject.record)
    },
  }
}
