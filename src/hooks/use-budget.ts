import { useRef, useSyncExternalStore } from 'react'
import type { BudgetSnapshot } from '../api/client/budget/budget.ts'
import { useWorkspace } from './workspace.tsx'

/** Selects flat values of the request budget; renders again when one changes, not with every request. */
export function useBudget<Shown extends Record<string, unknown>>(
  read: (snapshot: BudgetSnapshot) => Shown | undefined,
): Shown | undefined {
  const { budget } = useWorkspace()
  const last = useRef<Shown>(undefined)
  return useSyncExternalStore(budget.subscribe, () => {
    const next = read(budget.snapshot())
    if (!isSame(next, last.current)) last.current = next
    return last.current
  })
}

function isSame<T extends Record<string, unknown>>(one: T | undefined, other: T | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return Object.keys(one).every(key => one[key] === other[key])
}
