import type { Place } from './place.ts'

/** Something of the workspace that can be opened by its name. */
export type NamedPlace = { id: string; kind: string; name: string; place: Place }
