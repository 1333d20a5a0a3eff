import { useSyncExternalStore } from 'react'
import type { BudgetSnapshot } from '../api/budget.ts'
import { useWorkspace } from './workspace.tsx'

/** The request budget as it stands; draws again when it changes. */
export function useBudget(): BudgetSnapshot {
  const { budget } = useWorkspace()
  return useSyncExternalStore(budget.subscribe, budget.snapshot)
}
