import * as z from 'zod'
import { endpoint, resource } from './endpoint.ts'
import { record, shape, strictBody, timestamp } from './shapes.ts'

/** Permission to serve a tunnel. `url` and `connectToken` are credentials: returned once, never stored or logged. */
export const TunnelGrant = shape(() =>
  record({
    serverId: z.string(),
    name: z.string(),
    existed: z.boolean().nullish(),
    previousUrl: z.string().nullish(),
    previousTransportType: z.string().nullish(),
    slug: z.string().nullish(),
    url: z.string(),
    connectToken: z.string(),
    connectTokenExpiresAt: timestamp().nullish(),
    relayWsUrl: z.string(),
    secretVersion: z.number().nullish(),
  }),
)
export type TunnelGrant = z.infer<typeof TunnelGrant>

export const TunnelClosed = shape(() => record({ serverId: z.string(), status: z.string().nullish() }))
export type TunnelClosed = z.infer<typeof TunnelClosed>

const collection = '/projects/{projectId}/tunnels' as const

export const tunnels = resource('tunnels', {
  create: endpoint('createTunnel', 'POST', collection, {
    summary: 'Open a relay tunnel under a server name; each call makes a new secret and cuts the live session.',
    body: shape(() => strictBody({ name: z.string().min(1).max(128) })),
    status: 201,
    response: TunnelGrant,
    risk: 'expose',
    refreshes: ['servers'],
  }),
  close: endpoint('closeTunnel', 'POST', `${collection}/{serverId}/close`, {
    summary: "Cut a tunnel's live grant; its server record stays.",
    response: TunnelClosed,
    risk: 'end',
    refreshes: ['servers'],
  }),
})
