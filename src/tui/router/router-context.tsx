import { createContext, useContext, useEffect, useSyncExternalStore, type ReactNode } from 'react'
import type { Place, Route } from './place.ts'
import type { Router, PositionParams } from './router.ts'

const RouterContext = createContext<Router | undefined>(undefined)

const RoutesContext = createContext<readonly Route[]>([])

/** @param props.routes of all screens, for links */
export function RouterProvider(props: { router: Router; routes?: readonly Route[]; children: ReactNode }) {
  return (
    <RouterContext.Provider value={props.router}>
      <RoutesContext.Provider value={props.routes ?? []}>{props.children}</RoutesContext.Provider>
    </RouterContext.Provider>
  )
}

/** The routes of all screens, which write a place as a link. */
export function useRoutes(): readonly Route[] {
  return useContext(RoutesContext)
}

export function useRouter(): Router {
  const router = useContext(RouterContext)
  if (!router) throw new Error('RouterProvider is missing')
  return router
}

/** The present place; draws again when it changes. */
export function usePlace(): Place {
  const router = useRouter()
  return useSyncExternalStore(router.subscribe, router.current)
}

/** Says where in the present place the person stands; asked whenever that is needed, and drawn for nobody. */
export function usePositionParams(standing: PositionParams): void {
  const router = useRouter()
  useEffect(() => router.registerPosition(standing))
}

/** A list's row stands where the place says, also when another place of the screen that shows is opened. */
export function useRowOfPlace(selection: { select: (key: string) => void }, key: string | undefined): void {
  const place = usePlace()
  useEffect(() => {
    if (key !== undefined) selection.select(key)
  }, [place, key, selection])
}
