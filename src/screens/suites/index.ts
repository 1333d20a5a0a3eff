import { casesKeys, heatKeys, middleKeys, outcomesKeys, settingsKeys, suitesKeys } from './cases-keys.ts'

/** The eval suites of a project and their cases, for the screen that shows them. */
export const suites = {
  bindings: [suitesKeys, middleKeys, casesKeys, settingsKeys, heatKeys, outcomesKeys],
  load: async () => (await import('./parts.ts')).parts,
}
