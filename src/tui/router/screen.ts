import type { QueryClient } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import type { Bindings } from '../keymap/binding.ts'
import type { NamedPlace } from './named-place.ts'
import type { Place, Route } from './place.ts'

/**
 * A screen as its folder declares it. Tabs, go-keys, palette, help, completion and docs are derived from the list in
 * `app/screens.ts`. The drawing code is loaded only with the dashboard, so a declaration imports no component.
 */
export type ScreenDeclaration<Name extends string = string> = {
  route: Route & { screen: Name; to: (params?: Record<string, string | undefined>) => Place }
  title: string
  /** A description of at most 50 characters, to fit beside the title. */
  about: string
  /**
   * Its position among the numbered tabs. A screen without a position is opened with its letter, the palette and links,
   * and has a tab only while it is open.
   */
  order?: number
  /** The letter that opens it after the comma. */
  goKey: string
  /** The name of what that key opens, if the title is not enough. */
  goLabel?: string
  /** Every group of keys that its folder declares, outermost first. */
  bindings: readonly Bindings[]
  /** Things of this screen that can be opened by name, from data that was already read. */
  named?: (queryClient: QueryClient) => NamedPlace[]
  load: () => Promise<ComponentType>
}

/** Declares a screen; `src/app/screens.ts` lists the results. */
export function defineScreen<const Name extends string>(declaration: ScreenDeclaration<Name>): ScreenDeclaration<Name> {
  return declaration
}
