import { createContext, useContext, useSyncExternalStore, type ReactNode } from 'react'
import type { Place } from './place.ts'
import type { Router } from './router.ts'

const RouterContext = createContext<Router | undefined>(undefined)

export function RouterProvider(props: { router: Router; children: ReactNode }) {
  return <RouterContext.Provider value={props.router}>{props.children}</RouterContext.Provider>
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
