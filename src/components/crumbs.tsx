import { createContext, useContext, useEffect, useState, useSyncExternalStore, type ReactNode } from 'react'

type Crumbs = {
  set(names: readonly string[]): void
  current(): readonly string[]
  subscribe(listener: () => void): () => void
}

function createCrumbs(): Crumbs {
  let names: readonly string[] = []
  const listeners = new Set<() => void>()
  return {
    set(next) {
      if (next.join('\n') === names.join('\n')) return
      names = next
      for (const listener of listeners) listener()
    },
    current: () => names,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const CrumbsContext = createContext<Crumbs>(createCrumbs())

export function CrumbsProvider(props: { children: ReactNode }) {
  const [crumbs] = useState(createCrumbs)
  return <CrumbsContext.Provider value={crumbs}>{props.children}</CrumbsContext.Provider>
}

/** Sets the names of where a screen is, outermost first; unknown ones are left out. */
export function useCrumbs(names: readonly (string | null | undefined)[]): void {
  const crumbs = useContext(CrumbsContext)
  const text = names.filter(Boolean).join('\n')
  useEffect(() => crumbs.set(text.split('\n')), [crumbs, text])
}

export function useCurrentCrumbs(): readonly string[] {
  const crumbs = useContext(CrumbsContext)
  return useSyncExternalStore(crumbs.subscribe, crumbs.current)
}
