import type { QueryClient } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import type { NamedPlace } from '../../tui/router/named-place.ts'
import type { Route } from '../../tui/router/place.ts'

/** A screen as the registry lists it; its number is its position. */
export type ScreenEntry = {
  route: Route & {
    to: (params?: Record<string, string | undefined>) => {
      screen: string
      params: Readonly<Record<string, string>>
    }
  }
  title: string
  /** What of this screen can be opened by its name, of everything that was read already. */
  named?: (queryClient: QueryClient) => NamedPlace[]
  Screen: ComponentType
}
