import { UnavailableAction } from '../app/keymap/dispatcher.ts'

/** One place back; where one began, that is said instead of nothing. */
export function stepBack(router: { back(): boolean }): void {
  if (!router.back()) throw new UnavailableAction('This is where you began: there is no place to go back to.')
}
