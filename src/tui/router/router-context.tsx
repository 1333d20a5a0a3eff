import { createContext, useContext, useEffect, useSyncExternalStore, type ReactNode } from 'react'
import type { Place, Route } from './place.ts'
import type { Router, PositionParams } from './router.ts'

const RouterContext = createContext<Router | undefined>(undefined)

const RoutesContext = createContext<readonly Route[]>([])

/** @param props.routes the routes of all screens, for links */
export function RouterProvider(props: { router: Router; routes?: readonly Route[]; children: ReactNode }) {
  return (
    <RouterContext.Provider value={props.router}>
      <RoutesContext.Provider value={props.routes ?? []}>{props.children}</RoutesContext.Provider>
    </RouterContext.Provider>
  )
}

/** Returns the routes of all screens, which turn a place into a link. */
export function useRoutes(): readonly Route[] {
  return useContext(RoutesContext)
}

export function useRouter(): Router {
  const router = useContext(RouterContext)
  if (!router) throw new Error('RouterProvider is missing')
  return router
}

/** Returns the current place; renders again when it changes. */
export function usePlace(): Place {
  const router = useRouter()
  return useSyncExternalStore(router.subscribe, router.current)
}

/** Provides where the person is in the current place; called when needed, without rendering. */
export function usePositionParams(standing: PositionParams): void {
  const router = useRouter()
  useEffect(() => router.registerPosition(standing))
}

/** Keeps the list's selected row in sync with the place, even if another place of the visible screen is opened. */
export function useRowOfPlace(selection: { select: (key: string) => void }, key: string | undefined): void {
  const place = usePlace()
  useEffect(() => {
    if (key !== undefined) selection.select(key)
  }, [place, key, selection])
}
