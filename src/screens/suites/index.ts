import { casesKeys, middleKeys, outcomesKeys, settingsKeys, suitesKeys } from './cases-keys.ts'

/** The eval suites of a project and their cases, for the screen that shows them. */
export const suites = {
  bindings: [suitesKeys, middleKeys, casesKeys, settingsKeys, outcomesKeys],
  load: async () => (await import('./parts.ts')).parts,
}
