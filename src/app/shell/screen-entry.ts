import type { ComponentType } from 'react'
import type { Route } from '../router/place.ts'

/** A screen as the registry lists it; its number is its position. */
export type ScreenEntry = {
  route: Route & {
    to: (params?: Record<string, string | undefined>) => {
      screen: string
      params: Readonly<Record<string, string>>
    }
  }
  title: string
  Screen: ComponentType
}
