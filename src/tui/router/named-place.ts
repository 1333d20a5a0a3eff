import type { Place } from './place.ts'

/** Something in the workspace that can be opened by name. */
export type NamedPlace = { id: string; kind: string; name: string; place: Place }
