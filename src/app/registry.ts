import type { ComponentType } from 'react'
import type { ScreenDeclaration } from '../tui/router/screen.ts'
import * as declared from './screens.ts'

/** Every screen: those with a number in its order, then the others by their titles. */
export const screens = Object.values<(typeof declared)[keyof typeof declared]>(declared).sort(byNumber)

function byNumber(one: ScreenDeclaration, other: ScreenDeclaration): number {
  const numbers = (one.order ?? Infinity) - (other.order ?? Infinity)
  // By code units: the locale rules would be loaded only for these simple titles.
  return Number.isNaN(numbers) || numbers === 0 ? (one.title < other.title ? -1 : 1) : numbers
}

/** A screen with what draws it. */
export type LoadedScreen = ScreenDeclaration & { Screen: ComponentType }

/** Loads what draws the screens, all of them together. */
export async function loadScreens(declared: readonly ScreenDeclaration[] = screens): Promise<LoadedScreen[]> {
  return await Promise.all(declared.map(async screen => ({ ...screen, Screen: await screen.load() })))
}
