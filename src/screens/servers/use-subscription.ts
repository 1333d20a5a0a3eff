import { describeError } from '../../api/client/errors/error-text.ts'
import { contract } from '../../api/contract/contract.ts'
import { useWrite } from '../../hooks/use-write.tsx'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { isTemplate, type ListedResource } from './columns.ts'
import { isLocalOnly, type useLiveServer } from './use-live-server.ts'

/** Subscribes to a resource, or ends that where it is subscribed to. */
export function useSubscription(
  projectId: string,
  serverId: string,
  { live, error }: ReturnType<typeof useLiveServer>,
): (resource: ListedResource | undefined) => KeyHandler | Unavailable {
  const write = useWrite(contract.liveServers.subscribe)
  return resource => {
    if (isLocalOnly(error)) return unavailable(describeError(error).sentence)
    if (!resource) return unavailable('There is no resource.')
    if (isTemplate(resource)) return unavailable('A template stands for many resources, and none of them is chosen.')
    if (live?.offers?.subscriptions === false)
      return unavailable('This server does not offer subscriptions to resources.')
    const { uri } = resource
    const subscribed = !live?.subscriptions.some(each => each.uri === uri)
    return async () => {
      await write({
        start: subscribed ? 'Subscribing…' : 'Ending the subscription…',
        done: () =>
          subscribed
            ? 'Subscribed. The connection is kept for an hour after it was last looked at.'
            : 'The subscription has ended.',
        input: { projectId, serverId, body: { uri, subscribed } },
        rereads: ({ queryKey }) => queryKey[1] === 'get',
      })
    }
  }
}
