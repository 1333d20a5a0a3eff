import { useCopy } from '../../components/copy.tsx'
import { useCurrentSubject } from '../../components/subject.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { usePlace } from '../../tui/router/router-context.tsx'
import { webAddress } from '../../tui/router/web-address.ts'

/** Shows a web address in the person's browser; answers why it could not, or nothing. */
export type OpenBrowser = (url: string) => Promise<string | undefined>

/** Opens this place, or that of the chosen thing where it has its own, in the hosted UI; where there is no browser its address is copied. */
export function useBrowser(open: OpenBrowser | undefined): KeyHandler | Unavailable {
  const { profile } = useWorkspace()
  const here = usePlace()
  const place = useCurrentSubject()()?.place ?? here
  const copy = useCopy()
  const toasts = useToasts()
  if (profile.local) return unavailable('The local workspace has no pages on the web: all of it is here.')
  if (!profile.web)
    return unavailable(`The profile ${profile.name} tells no address of a hosted UI; its setting web would.`)
  const url = webAddress(profile.web, place)
  if (url === undefined)
    return unavailable(`The setting web of the profile ${profile.name} has no address for this place.`)
  return async () => {
    const obstacle = open ? await open(url) : 'There is no browser here.'
    if (obstacle === undefined) toasts.show('ok', `Opened ${url}`)
    else copy(url, `${obstacle} Copied the address: ${url}`)
  }
}
